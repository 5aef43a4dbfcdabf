import { isAnimated, isWebP, joined, pixelsOf } from "./bytes.js";

/**
 * Images of which several are decoded at the same time, and large ones, of which one is. Together they need at most 768 MiB
 * with the default limits. A limit becomes 1 when the memory has not sufficed.
 */
const lane = limit => ({ limit, busy: 0, waiting: [] });
const turns = { small: lane(4), large: lane(1) };

/** The maximum number of pixels of a small image. */
const largestSmall = 2 ** 24;

/** The time after which a file that sends nothing yields its turn, in milliseconds. */
const patience = 3000;

/** Returns the reader of a response's body. Firefox before 65 has no streams: there all bytes are one piece. */
export function readerOf(response) {
  if (response.body && response.body.getReader) return response.body.getReader();
  let done = false;
  return {
    async read() {
      if (done) return { done };
      done = true;
      return { done: false, value: new Uint8Array(await response.arrayBuffer()) };
    },
    async cancel() {},
  };
}

/**
 * Fetches a file. The browser may have cached a response to a request of an image, which the server does not permit
 * scripts to read. In this case, the file is requested again.
 */
export const request = (url, init) =>
  fetch(url, init).catch(() => fetch(url, Object.assign({}, init, { cache: "reload" })));

/** Reads the bytes that have the size of a WebP file, or all bytes of a shorter file. */
async function startOf(reader) {
  let start = new Uint8Array(0);
  while (start.length < 30) {
    const { done, value } = await reader.read();
    if (done) break;
    start = joined([start, value]);
  }
  return start;
}

/** A file that is read piece by piece when it is its turn to be decoded. */
export class Source {
  /**
   * - `load` resolves to the response.
   * - `isVisible` returns whether the image is in the viewport.
   * - `mostPixels` maps the pixels of the file to the most pixels of the result.
   * - `plays` gets the first frame of an animation and the most pixels of its frames, and returns whether they are converted.
   */
  constructor(load, isVisible = () => true, mostPixels = () => undefined, plays = () => true) {
    Object.assign(this, { load, isVisible, mostPixels, plays });
  }

  /** Reads the start of the file, without a turn. */
  async open() {
    const response = await this.load();
    this.reader = readerOf(response);
    if (this.isClosed) this.close();
    const start = this.start = await startOf(this.reader);
    this.next = Promise.resolve(start);
    // As in browsers, an image may have any status.
    if (!response.ok && !isWebP(start)) throw new Error(`${response.url}: ${response.status}`);
    this.pixels = pixelsOf(start);
    this.isLarge = this.pixels * (isAnimated(start) ? 4 : 1) > largestSmall; // an animation has three canvases in memory
    this.lane = this.isLarge ? turns.large : turns.small;
  }

  /**
   * Returns the next piece, or undefined after the last one. Returns null if none arrives for three seconds. Then the
   * memory of the decoder must be released, because the turn has ended. The next call waits for the piece, and a turn.
   */
  async read() {
    const piece = this.next || this.reader.read().then(({ value }) => value);
    this.next = undefined;
    if (this.hasTurn) {
      let timer;
      const late = new Promise(done => { timer = setTimeout(() => done(null), patience); });
      const first = await Promise.race([piece, late]).finally(() => clearTimeout(timer));
      if (first !== null) return first;
      this.next = piece;
      piece.catch(() => {}); // the next call reports the error
      this.endTurn();
      return null;
    }
    await piece;
    const { lane } = this;
    if (lane.busy < lane.limit) lane.busy += 1;
    else await new Promise(go => lane.waiting.push({ source: this, go }));
    this.hasTurn = true;
    if (this.isClosed) this.close();
    if (this.isClosed) throw new Error("stopped");
    this.most = this.mostPixels(this.pixels);
    return piece;
  }

  /** Begins again, once, after the memory has not sufficed. From then on, images are decoded one by one. */
  async retry() {
    if (this.isSecond) return false;
    this.isSecond = true;
    this.lane.limit = 1;
    this.endTurn();
    this.reader.cancel().catch(() => {});
    await this.open();
    return true;
  }

  /** Ends the turn. Of the sources that wait for one, visible ones are next, and then small ones. */
  endTurn() {
    const { lane } = this;
    if (!this.hasTurn) return;
    this.hasTurn = false;
    if (!lane.waiting.length || lane.busy > lane.limit) return void (lane.busy -= 1);
    const ranks = lane.waiting.map(({ source }) => source.pixels + (source.isVisible() ? 0 : 2 ** 32));
    lane.waiting.splice(ranks.indexOf(Math.min(...ranks)), 1)[0].go();
  }

  /** Stops the download, and ends the turn. */
  close() {
    this.isClosed = true;
    this.endTurn();
    if (this.reader) this.reader.cancel().catch(() => {});
  }
}
