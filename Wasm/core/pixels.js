export function isOpaque(pixels) {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

export function isFlat(pixels) {
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  for (let at = 0; at < words.length; at++) if (words[at] !== words[0]) return false;
  return true;
}

/** Returns the smallest rectangle that contains all differences between two canvases (R G B A). */
export function changed(before, after, width, height) {
  const [a, b] = [before, after].map(data => new Uint32Array(data.buffer, data.byteOffset, width * height));
  let top = 0;
  let bottom = height;
  const differs = row => {
    for (let i = row * width; i < (row + 1) * width; i++) if (a[i] !== b[i]) return true;
    return false;
  };
  while (top < height && !differs(top)) top++;
  if (top === height) return { x: 0, y: 0, width: 1, height: 1 };
  while (!differs(bottom - 1)) bottom--;
  let [left, right] = [width, 0];
  for (let y = top; y < bottom; y++) {
    const row = y * width;
    let x = 0;
    while (x < left && a[row + x] === b[row + x]) x++;
    left = x;
    x = width;
    while (x > right && a[row + x - 1] === b[row + x - 1]) x--;
    right = x;
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Returns the smallest divisor of both sides with which an image has at most `most` pixels. */
export function factorFor(width, height, most = Infinity) {
  let factor = 1;
  while (Math.ceil(width / factor) * Math.ceil(height / factor) > Math.max(1, most)) factor++;
  return factor;
}

/**
 * Returns rows of R G B A in which each pixel is the mean of `factor` · `factor` ones, or fewer at the edges; their stride; and
 * their number. Colors are weighted by alpha.
 */
export function reduced(pixels, width, rows, factor) {
  const columns = Math.ceil(width / factor);
  const result = new Uint8ClampedArray(4 * columns * Math.ceil(rows / factor)); // rounds
  for (let to = 0, top = 0; top < rows; top += factor) {
    const bottom = Math.min(top + factor, rows);
    for (let left = 0; left < width; left += factor, to += 4) {
      const right = Math.min(left + factor, width);
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let at = 4 * (row * width + left); at < 4 * (row * width + right); at += 4) {
          const weight = pixels[at + 3];
          red += weight * pixels[at];
          green += weight * pixels[at + 1];
          blue += weight * pixels[at + 2];
          alpha += weight;
        }
      }
      if (alpha) result.set([red / alpha, green / alpha, blue / alpha, alpha / ((bottom - top) * (right - left))], to);
    }
  }
  return [result, 4 * columns, Math.ceil(rows / factor)];
}
