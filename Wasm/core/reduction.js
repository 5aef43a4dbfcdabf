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
  const count = Math.ceil(rows / factor);
  const sums = new Float64Array(4 * columns);
  const result = new Uint8ClampedArray(4 * columns * count); // rounds
  for (let y = 0, at = 0, to = 0; y < count; y++) {
    const end = Math.min(factor * (y + 1), rows);
    sums.fill(0);
    for (let row = factor * y; row < end; row++) {
      for (let column = 0; column < columns; column++) {
        const stop = at + 4 * Math.min(factor, width - factor * column);
        let red = 0;
        let green = 0;
        let blue = 0;
        let alpha = 0;
        for (; at < stop; at += 4) {
          const weight = pixels[at + 3];
          red += weight * pixels[at];
          green += weight * pixels[at + 1];
          blue += weight * pixels[at + 2];
          alpha += weight;
        }
        const sum = 4 * column;
        sums[sum] += red;
        sums[sum + 1] += green;
        sums[sum + 2] += blue;
        sums[sum + 3] += alpha;
      }
    }
    for (let column = 0; column < columns; column++, to += 4) {
      const [red, green, blue, alpha] = sums.subarray(4 * column, 4 * column + 4);
      if (!alpha) continue;
      result[to] = red / alpha;
      result[to + 1] = green / alpha;
      result[to + 2] = blue / alpha;
      result[to + 3] = alpha / ((end - factor * y) * Math.min(factor, width - factor * column));
    }
  }
  return [result, 4 * columns, count];
}
