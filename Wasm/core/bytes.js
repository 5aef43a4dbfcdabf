/** Returns the bytes of a buffer, or of a view of one. */
export function bytesOf(source) {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  // Compares the name of the class, because buffers of frames and of Node's contexts have other constructors.
  if (/ArrayBuffer\]$/.test(Object.prototype.toString.call(source))) return new Uint8Array(source);
  throw new TypeError(`expected an ArrayBuffer, a view, a Blob, a Response or a stream, not ${source === null ? "null" : typeof source}`);
}

/** Returns the concatenation of byte arrays. */
export function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Returns the offsets of the complete chunks of a WebP file, and where the last one ends. */
function chunksOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const offsets = [12];
  for (let end = 12; end + 8 <= bytes.length; offsets.push(end)) {
    const size = view.getUint32(end + 4, true);
    end += 8 + size + size % 2;
    if (end > bytes.length) break;
  }
  return offsets;
}

/** Returns the complete chunks of a WebP file that was cut, as a file. */
export function completeChunks(bytes) {
  const end = chunksOf(bytes).pop();
  const file = bytes.slice(0, end);
  new DataView(file.buffer).setUint32(4, end - 8, true);
  return file;
}

/**
 * Returns an upper bound of the pixels in the frames of an animated PNG, whose first frame has `canvas` pixels. Each other frame
 * replaces the rectangle of the file's frame, and of the one before it if that is disposed.
 */
export function framePixels(bytes, canvas) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let before;
  return chunksOf(bytes).reduce((sum, at) => {
    if (at + 24 > bytes.length || view.getUint32(at) !== 0x414e4d46) return sum; // ANMF
    const [x, y, width, height] = [8, 11, 14, 17].map(each => view.getUint32(at + each, true) & 0xffffff);
    const sides = [-2 * x, -2 * y, 2 * x + width + 1, 2 * y + height + 1];
    const [left, top, right, bottom] = before ? sides.map((side, index) => Math.max(side, before[index])) : [0, 0, canvas, 1];
    before = sides.map(side => bytes[at + 23] & 1 ? side : -Infinity);
    return sum + (left + right) * (top + bottom);
  }, 0);
}

/** Returns whether the bytes begin like a WebP file, or undefined if they are too few. */
export function isWebP(bytes) {
  if (bytes.length < 12) return undefined;
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  return text.startsWith("RIFF") && text.endsWith("WEBP");
}

/** Returns whether the VP8X chunk of a WebP file has the flag for animations, or undefined if the bytes are too few. */
export function isAnimated(bytes) {
  if (bytes.length < 21) return undefined;
  return String.fromCharCode(...bytes.subarray(12, 16)) === "VP8X" && (bytes[20] & 2) !== 0;
}

/**
 * Returns the number of pixels of an image or a canvas from the first 30 bytes of its file. Returns infinity if the size is
 * elsewhere, as in files without a RIFF header, which libwebp accepts.
 */
export function pixelsOf(bytes) {
  if (bytes.length < 30 || !isWebP(bytes)) return Infinity;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const size = at => 1 + (view.getUint32(at - 1, true) >>> 8);
  const bits = view.getUint32(21, true);
  switch (String.fromCharCode(...bytes.subarray(12, 16))) {
    case "VP8X": return size(24) * size(27);
    case "VP8L": return (1 + (bits & 0x3fff)) * (1 + (bits >>> 14 & 0x3fff));
    case "VP8 ": return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
    default: return Infinity;
  }
}
