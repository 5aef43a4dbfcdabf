import { decode, decodeStream, polyfill, WebPAnimation, WebPError } from "../../pure-webp";
async function f(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
  const picture = await decode(new Uint8Array(3));
  context.putImageData(picture, 0, 0);
  const image: ImageData = await decodeStream(await fetch("x"), { canvas, onRows: rows => { const y: number = rows.y; } });
  await polyfill({ root: canvas });
  await polyfill({ root: document });
  // @ts-expect-error
  await polyfill({ root: 4 });
  // @ts-expect-error
  new WebPAnimation();
  // @ts-expect-error
  new WebPError("text");
  new WebPError("corrupt", "text", 0, 3);
  for (const frame of await WebPAnimation.open(new ArrayBuffer(3))) context.putImageData(frame.image, 0, 0);
}
