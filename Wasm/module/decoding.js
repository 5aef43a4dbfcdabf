import { core } from "./files.js";

/** Returns an ImageData. In Node, which has no ImageData, returns an object with the same properties. */
export function imageData({ width, height, data }) {
  return typeof ImageData === "function" ? new ImageData(data, width, height) : { width, height, data };
}

/** Decodes a file. If it is an animation, decodes the first frame. */
export async function decode(bytes) {
  const codec = await core.load();
  return imageData(codec.decode(core.bytesOf(bytes)));
}

/** Converts a file to a PNG, an animation to an animated PNG. */
export async function toPNG(bytes) {
  return core.pngOf(core.bytesOf(bytes));
}

/**
 * Decodes a response while its bytes arrive. Calls `onRows` with finished rows. For an animation, calls it once, with
 * all rows of the first frame.
 */
export async function decodeStream(response, { canvas, onRows } = {}) {
  const reader = core.readerOf(response);
  const waiting = [];
  let codec;
  let isAnimated;
  let stream;
  let shownRows = 0;
  const emit = ({ width, height }, data, y = 0, rows = height) => {
    if (canvas) {
      if (!y) Object.assign(canvas, { width, height });
      canvas.getContext("2d").putImageData(new ImageData(data, width, rows), 0, y);
    }
    if (onRows) onRows({ width, height, y, rows, data });
  };
  const emitRows = () => {
    const { rows } = stream;
    const from = shownRows;
    if (rows <= from) return;
    shownRows = rows;
    emit(stream, stream.copy(from, rows), from, rows - from);
  };
  const read = async () => {
    for (;;) {
      let { done, value } = await reader.read();
      if (done) return;
      if (!stream) {
        waiting.push(value);
        // Bytes are also read before the decoder is available: its module may wait for this connection.
        if (isAnimated || !codec) continue;
        value = core.joined(waiting);
        isAnimated = core.isAnimated(value);
        if (isAnimated !== false) continue;
        stream = codec.stream();
      }
      stream.append(value);
      emitRows();
    }
  };
  try {
    await Promise.all([core.load().then(it => { codec = it; }), read()]);
    if (!stream) {
      const image = imageData(codec.decode(core.joined(waiting)));
      emit(image, image.data);
      return image;
    }
    stream.finish();
    emitRows();
    return imageData(stream.image());
  } finally {
    reader.cancel().catch(() => {}); // after an error, the rest is not downloaded
    if (stream) stream.close();
  }
}
