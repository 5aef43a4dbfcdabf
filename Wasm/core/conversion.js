import { joined } from "./bytes.js";
import { load } from "./loading.js";
import { Transcoder } from "./Transcoder.js";

/** Returns a PNG. */
const blobOf = parts => new Blob(parts, { type: "image/png" });

/**
 * Resolves to the image of a conversion's result. A PNG with fewer pixels than the file is in an SVG of the file's size, so
 * that the page sees the size.
 */
export async function imageOf({ parts, size }) {
  const png = blobOf(parts);
  if (!size) return png;
  const reader = new FileReader();
  const url = new Promise((resolve, reject) => {
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
  });
  reader.readAsDataURL(png);
  const [width, height] = size;
  return new Blob([
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="100%" height="100%" `,
    'preserveAspectRatio="none" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="', await url, '"/></svg>',
  ], { type: "image/svg+xml" });
}

/**
 * Converts a source, which is open, to a PNG. Calls `answer` with {id, part}, a blob of the finished rows, at intervals of at
 * least `interval` milliseconds; then with {id, done}, the image, or {id, error}. An animation that does not play has no image: `source.plays` has got the first frame. The caller closes the source.
 * If the job says so, the file is decoded, and the result is {width, height, data}.
 */
export async function convert(job, source, answer) {
  const { id, interval, limits, isDecoded } = job;
  load().catch(() => {}); // at the same time as the file; the calls below report errors
  try {
    const done = isDecoded ? await decoded(source, limits)
      : await transcode(source, limits, part => answer({ id, part }), interval).then(result => result.parts.length ? imageOf(result) : null);
    answer({ id, done });
  } catch (error) {
    if (error.isMemory && await source.retry()) return convert(job, source, answer);
    const { kind, message, offset, status, isStale } = error;
    answer({ id, error: { kind, message, offset, status, isStale } });
  }
}

/** Converts the bytes of a file to a blob. Rejects if a part of the file is invalid. */
export async function pngOf(bytes, options) {
  const parts = [bytes];
  return imageOf(await transcode({ read: async () => parts.pop() }, Object.assign({}, options, { isStrict: true })));
}

/** Decodes a file when all bytes have arrived. */
async function decoded(source, limits) {
  const pieces = [];
  for (let bytes; (bytes = await source.read()) !== undefined;) if (bytes) pieces.push(bytes);
  return (await load()).decode(joined(pieces), limits);
}

/**
 * Converts a source to {parts, size}: the parts of a PNG, and the size of the image if the PNG has fewer pixels. Calls `onPart`
 * with blobs of the finished rows. With `emit`, the parts are passed to it, as soon as they are finished.
 */
export async function transcode(source, options = {}, onPart, interval, emit) {
  const parts = [];
  const plays = source.plays && (async (first, pixels) => source.plays(await imageOf(first), pixels));
  let transcoder;
  let shownAt = Date.now(); // images that load fast are converted once
  let shownRows = 0;
  let timer;
  const show = isDue => {
    clearTimeout(timer);
    const { rows } = transcoder;
    if (rows <= shownRows || rows === transcoder.stream.height || transcoder.size) return;
    // At least a frame, in which the rest of the file may arrive.
    const wait = interval && Math.max(16, shownAt + interval - Date.now());
    if (wait && !isDue) return void (timer = setTimeout(show, wait, true));
    transcoder.write();
    onPart(blobOf(parts.concat([transcoder.png.rest()])));
    shownAt = Date.now();
    shownRows = rows;
  };
  try {
    for (let bytes; (bytes = await source.read()) !== undefined;) {
      transcoder = transcoder || new Transcoder(await load(source.isLarge), part => {
        if (source.isClosed) throw new Error("stopped");
        if (emit) emit(part);
        else parts.push(part);
      }, Object.assign({ most: source.most, plays }, options));
      if (!bytes) {
        transcoder.close();
        continue;
      }
      transcoder.append(bytes);
      if (emit) transcoder.write();
      else if (onPart) show();
    }
    await transcoder.finish();
  } catch (error) {
    if (options.isStrict || !transcoder) throw error;
    transcoder.conclude(error);
  } finally {
    clearTimeout(timer);
    if (transcoder) transcoder.close();
  }
  return { parts, size: transcoder.size };
}
