import { WebPError, core } from "./files.js";
import { Service } from "../polyfill/Service.js";

/** Returns an ImageData. In Node, which has no ImageData, returns an object with the same properties. */
export function imageData({ width, height, data }) {
  return typeof ImageData === "function" ? new ImageData(data, width, height) : { width, height, data };
}

/** Returns a response with the bytes of a Blob, a Response or a stream. The first browsers have no `arrayBuffer` of blobs. */
function responseOf(source) {
  const [, type] = /^\[object (File|Blob|Response|ReadableStream)\]$/.exec(Object.prototype.toString.call(source)) || [];
  return type === "Response" ? source : type && new Response(source);
}

/** Resolves to the bytes of a buffer, a view, a Blob, a Response or a stream, or of a promise of one. */
export async function bytesIn(given) {
  const source = await given;
  const response = responseOf(source);
  if (!response) return core.bytesOf(source);
  const bytes = core.bytesOf(await response.arrayBuffer());
  checkStatus(response, bytes);
  return bytes;
}

/** Throws an error with the status of a response without WebP. As in browsers, an image may have any status. */
function checkStatus({ ok, url, status }, start) {
  if (!ok && !core.isWebP(start)) throw new WebPError("notWebP", `${url}: status ${status}`);
}

/** Resolves as `start` does, or rejects with the signal's reason. */
function abortable(signal, start) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason || new DOMException("decoding was aborted", "AbortError"));
    if (signal && signal.aborted) return abort();
    if (signal) signal.addEventListener("abort", abort);
    start().finally(() => signal && signal.removeEventListener("abort", abort)).then(resolve, reject);
  });
}

const result = (image, { bitmap }) => bitmap ? createImageBitmap(imageData(image)) : imageData(image);

/** Decodes a file. If it is an animation, decodes the first frame. */
export function decode(source, options = {}) {
  const { signal } = options;
  return abortable(signal, async () => {
    const [codec, bytes] = await Promise.all([core.load(), bytesIn(source)]);
    if (!signal || !signal.aborted) return result(codec.decode(bytes, options), options);
  });
}

let service;

/** Decodes a file as `decode` does, in a worker that is ended after ten idle seconds. */
export function decodeInWorker(source, options = {}) {
  service = service || new Service({ idle: 10000 });
  const { signal } = options;
  return abortable(signal, async () => {
    const bytes = await bytesIn(source);
    if (!signal || !signal.aborted) return result(await service.decode(bytes, options), options);
  });
}

/** Converts a file to a PNG, an animation to an animated PNG. */
export async function toPNG(source, options) {
  return core.pngOf(await bytesIn(source), options);
}

/**
 * Decodes a file while its bytes arrive. Calls `onRows` with finished rows. For an animation, calls it once, with
 * all rows of the first frame.
 */
export async function decodeStream(given, options = {}) {
  const { canvas, onRows } = options;
  const source = await given;
  const response = responseOf(source) || new Response(core.bytesOf(source));
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
        checkStatus(response, value);
        stream = codec.stream(options);
      }
      stream.append(value);
      emitRows();
    }
  };
  try {
    await Promise.all([core.load().then(it => { codec = it; }), read()]);
    if (!stream) {
      const bytes = core.joined(waiting);
      checkStatus(response, bytes);
      const image = imageData(codec.decode(bytes, options));
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
