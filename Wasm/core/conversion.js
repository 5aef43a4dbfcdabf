import { load, withCodec } from "./loading.js";
import { Transcoder } from "./Transcoder.js";
import { patiently, turns } from "./turns.js";

export const blobOf = parts => new Blob(parts, { type: "image/png" });

/**
 * Converts a source to a PNG. Calls `answer` with {id, part}, a blob of the finished rows, at intervals of at least
 * `interval` milliseconds; then with {id, done}, the parts of the PNG, or {id, error}. The caller closes the source. If the
 * job has bytes, they are decoded, and the result is {width, height, data}. If the memory does not suffice for several
 * images, each is tried again alone.
 */
export async function convert(job, source, answer) {
  const { id, interval, limits, bytes } = job;
  const isAlone = turns.limit === 1;
  let decoder;
  try {
    load().catch(() => {}); // loads the decoder at the same time as the file; withCodec reports errors
    if (!bytes) await source.open();
    const done = await withCodec(codec => {
      decoder = codec;
      if (bytes) return codec.decode(bytes, limits);
      return transcode(source, codec, limits, part => answer({ id, part }), interval);
    });
    answer({ id, done });
  } catch (error) {
    if (decoder && decoder.isBroken && !isAlone) return convert(job, source, answer);
    const { kind, message, offset, status } = error;
    answer({ id, error: { kind, message, offset, status } });
  }
}

/** Converts the bytes of a file to a blob. Rejects if a part of the file is invalid. */
export function pngOf(bytes, options) {
  const parts = [bytes];
  const source = { read: async () => parts.pop() };
  return withCodec(codec => transcode(source, codec, Object.assign({}, options, { isStrict: true }))).then(blobOf);
}

async function transcode(source, codec, options, onPart, interval) {
  const parts = [];
  const transcoder = new Transcoder(codec, part => {
    if (source.isClosed) throw new Error("stopped");
    parts.push(part);
  }, options);
  let shownAt = Date.now(); // images that load fast are converted once
  let shownRows = 0;
  let timer;
  const show = () => {
    clearTimeout(timer);
    const { rows } = transcoder;
    if (rows === shownRows || rows === transcoder.stream.height) return;
    const wait = shownAt + interval - Date.now();
    if (wait > 0) {
      timer = setTimeout(show, wait);
      return;
    }
    transcoder.write();
    onPart(blobOf(parts.concat([transcoder.png.rest()])));
    shownAt = Date.now();
    shownRows = rows;
  };
  try {
    for (let bytes; (bytes = await patiently(source.read()));) {
      transcoder.append(bytes);
      if (onPart) show();
    }
    await transcoder.finish();
  } catch (error) {
    if (!onPart) throw error;
    transcoder.conclude(error);
  } finally {
    clearTimeout(timer);
    transcoder.close();
  }
  return parts;
}
