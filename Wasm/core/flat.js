import { pixelsOf } from "./bytes.js";
import { limitsOf } from "./limits.js";

/** The number of pixels above which images of one color become one pixel. Icons and cursors, which are smaller, remain PNGs. */
export const largestFlat = 1 << 22;

/**
 * Returns a stream for a large lossless file of one color, or undefined. Its codes must have one symbol each, as libwebp writes
 * them. A few bytes then make any number of pixels, so these files are not decoded: `pixels` returns one pixel.
 */
export function flatStream(bytes, options) {
  const count = pixelsOf(bytes);
  // 76: VP8L. The decoder reports the limits.
  if (bytes[15] !== 76 || count <= largestFlat || count > Math.min(...limitsOf(options).slice(0, 2))) return undefined;
  let isFlat = true;
  let at = 8 * 21;
  const read = count => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value |= (bytes[at >> 3] >> (at & 7) & 1) << bit;
    return value;
  };
  const expect = (count, value) => { if (read(count) !== value) isFlat = false; };
  // Reads the codes of green, red, blue, alpha and the distance, after the flags for a color cache and several groups of codes.
  const color = flags => {
    expect(flags, 0);
    return Array.from("GRBAD", () => {
      expect(2, 1);
      return read(read(1) ? 8 : 1);
    });
  };
  const width = 1 + read(14);
  const height = 1 + read(14);
  read(1); // whether alpha is used
  expect(3, 0); // the version
  const hasPalette = read(1);
  if (hasPalette) expect(10, 3); // a transform of type 3 with one color
  const [green, red, blue, alpha] = color(hasPalette ? 1 : 2);
  if (hasPalette) {
    expect(1, 0); // no other transform
    if (color(2)[0]) isFlat = false; // the index of the color
  }
  if (!isFlat || at > 8 * bytes.length) return undefined;
  return {
    width, height, rows: height, pixels: () => Uint8Array.of(red, green, blue, alpha), append() {}, finish() {}, close() {},
  };
}
