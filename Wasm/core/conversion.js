import { load, withCodec } from "./loading.js";
import { Transcoder } from "./Transcoder.js";
import { patiently, turns } from "./turns.js";

/**
 * Converts a source to a PNG. Calls `answer` with {id, part}, an image of the finished rows, at intervals of at least
 * `interval` milliseconds; then with {id, done} or {id, error}. Parts and the result are blobs. The caller closes the
 * source. If the memory does not suffice for several images, each is tried again alone.
 */
export async function convert(job, source, answer) {
  const { id, interval } = job;
  const isAlone = turns.limit === 1;
  let decoder;
  try {
    load().catch(() => {}); // loads the decoder at the same time as the file; withCodec reports errors
    await source.open();
    const done = await withCodec(codec => transcode(source, decoder = codec, interval, part => answer({ id, part })));
    answer({ id, done });
  } catch (error) {
    if (decoder && decoder.isBroken && !isAlone) return convert(job, source, answer);
    const { kind, message, offset, status } = error;
    answer({ id, error: { kind, message, offset, status } });
  }
}

/** Converts the bytes of a file to a blob. */
export function pngOf(bytes) {
  const parts = [bytes];
  return withCodec(codec => transcode({ read: async () => parts.pop() }, codec, Infinity));
}

async function transcode(source, codec, interval, onPart) {
  const parts = [];
  const blob = more => new Blob(parts.concat(more || []), { type: "image/png" });
  const transcoder = new Transcoder(codec, part => {
    if (source.isClosed) throw new Error("stopped");
    parts.push(part);
  });
  let shownAt = 0;
  let shownRows = 0;
  try {
    for (let bytes; (bytes = await patiently(source.read()));) {
      transcoder.append(bytes);
      const { sent, png, isAnimated } = transcoder;
      if (isAnimated || sent === shownRows || sent === png.height || Date.now() - shownAt < interval) continue;
      onPart(blob([png.rest()]));
      shownAt = Date.now();
      shownRows = sent;
    }
    await transcoder.finish();
    return blob();
  } finally {
    transcoder.close();
  }
}
