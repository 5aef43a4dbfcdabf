// Proves that TypeScript accepts `require` of the package.
// Expected values: the compiler accepts this file.
import pureWebP = require("../../dist/pure-webp.cjs");
async function f() {
  const { width, height, data } = await pureWebP.decode(new Uint8Array(3));
  const sum: number = width + height + data.length;
  const animation: pureWebP.WebPAnimation = await pureWebP.WebPAnimation.open(new ArrayBuffer(3));
  // @ts-expect-error
  await pureWebP.decode(4);
}
