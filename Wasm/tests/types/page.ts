// Proves that pure-webp.d.ts declares the functions and types as callers use them.
// Expected values: the compiler accepts this file.
import {
  configure, decode, DecodeOptions, decodeInWorker, decodeStream, Frame, isSupported, Limits, polyfill, PolyfillOptions,
  PolyfillResult, Rows, toPNG, WebPAnimation, WebPError,
} from "../../pure-webp";
async function f(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
  const picture = await decode(new Uint8Array(3));
  context.putImageData(picture, 0, 0);
  const { signal } = new AbortController();
  const bitmap: ImageBitmap = await decode(await fetch("x"), { bitmap: true, signal, maximumPixels: 100 });
  const other: ImageData = await decodeInWorker(new Blob([]), { unrestrictedPixels: 100, maximumPixelsPerByte: 1 });
  const another: ImageBitmap = await decodeInWorker(new ArrayBuffer(3), { bitmap: true });
  const options: DecodeOptions = { bitmap: picture.width > 1 };
  const either: ImageData | ImageBitmap = await decode(fetch("x"), options);
  const one: ImageData | ImageBitmap = await decodeInWorker(new Blob([]).stream(), { bitmap: picture.width > 1 });
  (await WebPAnimation.open(fetch("x"))).close();
  const png: Blob = await toPNG(await fetch("x"));
  // @ts-expect-error
  await toPNG(4);
  // @ts-expect-error
  await decode("text");
  // @ts-expect-error
  await decode(new ArrayBuffer(3), { limit: 4 });
  await decodeStream(fetch("x"));
  const limits: Limits = { maximumPixels: 1, unrestrictedPixels: 1, maximumPixelsPerByte: 1 };
  await decodeStream(new Blob([]), { ...limits, onRows: ({ width, height, y, rows, data }: Rows) => y + rows < height });
  await toPNG(new Blob([]).stream(), limits);
  await WebPAnimation.open(new Blob([]), limits);
  const polyfillOptions: PolyfillOptions = { ...limits, shownPixels: 1, fade: 0 };
  const result: PolyfillResult = await polyfill(polyfillOptions);
  const image: ImageData = await decodeStream(await fetch("x"), { canvas, onRows: rows => { const y: number = rows.y; } });
  // @ts-expect-error
  new WebPAnimation();
  // @ts-expect-error
  new WebPError("text");
  new WebPError("corrupt", "text", 0, 3);
  const animation = await WebPAnimation.open(new ArrayBuffer(3));
  for (const frame of animation) context.putImageData(frame.image, 0, 0);
  const frames: (Frame | null)[] = [animation.next(), animation.frame(animation.frameCount - 1)];
  const sum: number = frames.reduce((sum, frame) => sum + (frame ? frame.duration : 0), animation.loopCount);
  // @ts-expect-error
  animation.next().image;
  animation.close();
  const isShown: boolean | undefined = await isSupported();
  const matches = (url: string) => url.endsWith("w");
  const polyfilled = await polyfill({ force: true, matches, fade: 0, interval: 0, cacheBytes: 0, idle: 0 });
  polyfilled.stop();
  if (polyfilled.status === "failed" && polyfilled.error) polyfilled.error.message.trim();
  // @ts-expect-error
  polyfilled.status === "none";
  await polyfill({ onError: (error, url) => console.log(error.message, url) });
  const url: string = URL.createObjectURL(await toPNG(new Uint8Array(3)));
  configure({ wasm: "/pure-webp.wasm", worker: new URL("https://example.org/worker.js") });
  // @ts-expect-error
  await polyfill({ speed: 4 });
  try {
    await decodeStream(await fetch("x"), { canvas });
  } catch (error) {
    if (!(error instanceof WebPError)) throw error;
    const at: number = error.kind === "truncated" ? error.offset : error.status;
    // @ts-expect-error
    error.kind === "none";
  }
}
