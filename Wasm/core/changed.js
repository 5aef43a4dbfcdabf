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
