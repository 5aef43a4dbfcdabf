// Proves that pure-webp.d.ts declares the functions and types as callers use them.
// Expected values: the compiler accepts this file.
import { decode, decodeStream, WebPAnimation, WebPError, polyfill } from "../../pure-webp";
async function f() {
  const { width, height, data } = await decode(new Uint8Array(3));
  const sum: number = width + height + data.length;
  await decodeStream({ async arrayBuffer() { return new ArrayBuffer(3); } }, { onRows(rows) { const y: number = rows.y; } });
  // @ts-expect-error
  await decodeStream(4);
  // @ts-expect-error
  new WebPAnimation();
  // @ts-expect-error
  const none: string = (await decode(new ArrayBuffer(3))).data;
  await polyfill();
}
