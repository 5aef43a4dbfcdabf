// What the page, its worker, the service worker and Node have in common: the WebAssembly module, and WebP to PNG.
//
// A classic script, because the browsers that need it know no modules in workers; it leaves one global, PureWebPCore.
// Syntax and APIs are those of 2018 (Safari 12, Firefox 60).

(function (global) {
  "use strict";

  const kinds = ["", "notWebP", "truncated", "corrupt", "unsupported", "limitExceeded", "invalidOptions"];
  // The words at a session's address: see Sources/PureWebP/Session.swift.
  const [ERROR, WIDTH, HEIGHT, ROWS, PIXELS, OFFSET, FRAME, DURATION, FRAMES, LOOPS, STATUS, DETAIL] = Array(12).keys();

  class WebPError extends Error {
    constructor(kind, message, offset, status) {
      super(message);
      this.name = "WebPError";
      this.kind = kind;
      this.offset = offset;
      this.status = status;
    }
  }

  // MARK: The module

  /** An instance of the module. */
  class Codec {
    constructor(instance) {
      this.exports = instance.exports;
      this.sessions = 0;
      this.isBroken = false;
    }

    /** The picture, or the first frame: {width, height, data}. */
    decode(bytes) {
      const session = this.session(bytes, "webp_decode");
      try {
        session.check();
        return session.image();
      } finally {
        session.close();
      }
    }

    /** A Session to append bytes to. */
    stream() {
      return new Session(this, this.call("webp_open"));
    }

    /** A Session that has frames. */
    animation(bytes) {
      const session = this.session(bytes, "webp_open_animation");
      try {
        session.check();
      } catch (error) {
        session.close();
        throw error;
      }
      return session;
    }

    session(bytes, name) {
      return this.lend(bytes, address => new Session(this, this.call(name, address, bytes.length)));
    }

    /** Calls back with the address of a copy of the bytes, which is there until then. */
    lend(bytes, use) {
      const address = this.call("webp_allocate", bytes.length);
      if (!address) throw new WebPError("limitExceeded", "no memory for the file", -1, 1);
      try {
        new Uint8Array(this.exports.memory.buffer).set(bytes, address);
        return use(address);
      } finally {
        if (!this.isBroken) this.call("webp_free", address);
      }
    }

    /**
     * What the module gives: an address, which comes as a negative number above 2 GiB. The module stops where it runs out
     * of memory; that instance is not used again.
     */
    call(name, ...values) {
      if (this.isBroken) throw new WebPError("limitExceeded", "the decoder has run out of memory", -1, 1);
      try {
        return this.exports[name](...values) >>> 0;
      } catch (error) {
        this.isBroken = true;
        turns = 1;
        throw new WebPError("limitExceeded", "the decoder has stopped: " + error.message, -1, 1);
      }
    }
  }

  /** A picture or an animation that is being decoded. */
  class Session {
    constructor(codec, handle) {
      this.codec = codec;
      this.handle = handle;
      codec.sessions += 1;
    }

    /** Where it is in the module, which would take for it whatever is there after it was closed. */
    get address() {
      if (!this.handle) throw new WebPError("invalidOptions", "it is closed", -1, 2);
      return this.handle;
    }

    word(index) {
      return new Int32Array(this.codec.exports.memory.buffer, this.address, 12)[index];
    }

    get width() { return this.word(WIDTH); }
    get height() { return this.word(HEIGHT); }
    get rows() { return this.word(ROWS); }
    get frameCount() { return this.word(FRAMES); }
    get loopCount() { return this.word(LOOPS); }

    append(bytes) {
      const session = this.address;
      this.codec.lend(bytes, address => this.codec.call("webp_append", session, address, bytes.length));
      this.check();
    }

    finish() {
      this.codec.call("webp_finish", this.address);
      this.check();
    }

    /** {index, duration, width, height, data}, or null behind the last one. */
    nextFrame() {
      this.codec.call("webp_next_frame", this.address);
      this.check();
      if (!this.word(PIXELS)) return null;
      return Object.assign({ index: this.word(FRAME), duration: this.word(DURATION) }, this.image());
    }

    seek(index) {
      this.codec.call("webp_seek", this.address, index);
      this.check();
    }

    image() {
      const { width, height } = this;
      return { width, height, data: this.copy(0, height) };
    }

    /** Rows. */
    copy(from, to) {
      return new Uint8ClampedArray(this.pixels(from, to).slice().buffer);
    }

    /** Rows, in the module's memory: until the next call. */
    pixels(from, to) {
      const stride = 4 * this.width;
      const start = this.word(PIXELS) >>> 0;
      return new Uint8Array(this.codec.exports.memory.buffer, start + from * stride, (to - from) * stride);
    }

    check() {
      const kind = this.word(ERROR);
      if (kind) throw new WebPError(kinds[kind], this.detail(), this.word(OFFSET), this.word(STATUS));
    }

    detail() {
      const bytes = new Uint8Array(this.codec.exports.memory.buffer);
      let text = "";
      for (let at = this.word(DETAIL) >>> 0; bytes[at]; at++) text += String.fromCharCode(bytes[at]);
      const offset = this.word(OFFSET);
      return offset < 0 ? text : text + " (at byte " + offset + ")";
    }

    close() {
      const { handle } = this;
      if (!handle) return;
      this.handle = 0;
      this.codec.sessions -= 1;
      if (!this.codec.isBroken) this.codec.call("webp_close", handle);
      const { sessions, exports } = this.codec;
      if (codec === this.codec && !sessions && exports.memory.buffer.byteLength > keptMemory) codec = undefined;
    }
  }

  // MARK: Loading it

  /** Whether vector instructions are there: a module of one function that uses them. */
  const hasSIMD = () =>
    WebAssembly.validate(
      new Uint8Array([
        0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
      ]));

  /** Memory that an idle instance may keep, in bytes: a module's memory never shrinks. */
  const keptMemory = 1 << 26;
  let compiled;
  let codec;
  let renewal;
  /** How many may be at it: one by one, once the memory has not sufficed for several. */
  let turns = 4;
  let busy = 0;
  const waiting = [];

  /** The decoder, which is loaded once, however many ask for it at the same time. */
  async function load() {
    if (codec && !codec.isBroken) return codec;
    renewal = renewal || renew().finally(() => { renewal = undefined; });
    return renewal;
  }

  async function renew() {
    try {
      compiled = compiled || await compile();
      return codec = new Codec(await WebAssembly.instantiate(compiled, {}));
    } catch (error) {
      throw error instanceof WebPError ? error : unavailable(error);
    }
  }

  /** Calls back with the decoder when it is its turn: there may be no memory for more pictures. */
  async function inTurn(use) {
    await takeTurn();
    try {
      return await use(await load());
    } finally {
      giveTurn();
    }
  }

  async function takeTurn() {
    if (busy >= turns) await new Promise(go => waiting.push(go));
    else busy += 1;
  }

  function giveTurn() {
    if (waiting.length && busy <= turns) waiting.shift()();
    else busy -= 1;
  }

  /** Waits, within a turn, for what comes over the network: another has the turn when that takes three seconds. */
  async function patiently(promise) {
    let isGiven = false;
    const timer = setTimeout(() => {
      isGiven = true;
      giveTurn();
    }, 3000);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      if (isGiven) await takeTurn();
    }
  }

  const isModule = value => Object.prototype.toString.call(value) === "[object WebAssembly.Module]";

  const unavailable = ({ message }) =>
    new WebPError("moduleUnavailable", "the decoder's module cannot be loaded: " + message, -1, 1);

  /** The module that was handed in, or its address: the configured one, or the one that the host's features select. */
  function source() {
    try {
      return core.wasm || core.locate(core.simd === undefined ? hasSIMD() : core.simd);
    } catch (error) {
      throw unavailable(error); // no script's address is known: configure() is needed
    }
  }

  async function compile() {
    const wasm = source();
    return isModule(wasm) ? wasm : WebAssembly.compile(await read(wasm));
  }

  /** The bytes of a file beside this script. */
  async function read(url) {
    if (url.startsWith("file:") && typeof process === "object") {
      return process.getBuiltinModule("fs").readFileSync(new URL(url));
    }
    const response = await fetch(url, { credentials: "same-origin" });
    if (!response.ok) throw new Error(url + ": " + response.status);
    return response.arrayBuffer();
  }

  // MARK: Streams

  /** What reads a response's body. Firefox before 65 has no streams: all bytes come at once there. */
  function readerOf(response) {
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
   * Fetches a file. The browser may keep what it had for an image, without leave for scripts where a host gives that
   * only to those that ask for it: if there is none, it is asked for anew.
   */
  function request(url, credentials) {
    return fetch(url, { credentials }).catch(() => fetch(url, { credentials, cache: "reload" }));
  }

  /** A file that is fetched, again if need be, and read piece by piece. */
  class Source {
    constructor(url, credentials) {
      this.url = url;
      this.credentials = credentials;
    }

    async open() {
      this.cancel();
      const response = await request(this.url, this.credentials);
      this.reader = readerOf(response);
      if (this.isClosed) this.cancel();
      if (!response.ok) throw new Error(this.url + ": " + response.status);
    }

    /** The next piece; behind the last one, undefined. */
    async read() {
      return (await this.reader.read()).value;
    }

    cancel() {
      if (this.reader) this.reader.cancel().catch(() => {});
    }

    /** What is not read is not downloaded. */
    close() {
      this.isClosed = true;
      this.cancel();
    }
  }

  /** Whether a file is WebP: as much of it is read as tells. */
  async function isWebPAt(url, credentials) {
    const source = new Source(url, credentials);
    let start = new Uint8Array(0);
    try {
      await source.open();
      for (let piece; start.length < 12 && (piece = await source.read());) start = joined([start, piece]);
    } catch (error) {
      // Not readable.
    }
    source.close();
    return isWebP(start);
  }

  function bytesOf(source) {
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    // By its name: buffers of frames and of Node's contexts have constructors of their own.
    if (/ArrayBuffer\]$/.test(Object.prototype.toString.call(source))) return new Uint8Array(source);
    throw new TypeError("neither an ArrayBuffer nor a view of one");
  }

  function joined(parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** Whether the bytes begin as a WebP file does; undefined: too few to tell. */
  function isWebP(bytes) {
    if (bytes.length < 12) return undefined;
    const text = String.fromCharCode(...bytes.subarray(0, 12));
    return text.startsWith("RIFF") && text.endsWith("WEBP");
  }

  /** Whether an address says so. */
  const isCalledWebP = url => /^([^?#]*\.webp([?#]|$)|data:image\/webp)/i.test(url);

  /** Whether a WebP file is an animation, by the flag in its VP8X chunk; undefined: too few bytes to tell. */
  function isAnimated(bytes) {
    if (bytes.length < 21) return undefined;
    return String.fromCharCode(...bytes.subarray(12, 16)) === "VP8X" && (bytes[20] & 2) !== 0;
  }

  // MARK: PNG

  const crcTables = (() => {
    const tables = [0, 1, 2, 3].map(() => new Uint32Array(256));
    for (let n = 0; n < 256; n++) {
      let c = n;
      for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
      tables[0][n] = c;
    }
    for (let n = 0; n < 256; n++) {
      for (let k = 1; k < 4; k++) tables[k][n] = (tables[k - 1][n] >>> 8) ^ tables[0][tables[k - 1][n] & 255];
    }
    return tables;
  })();

  /** CRC-32, four bytes at a time. */
  function crc32(bytes) {
    const [t0, t1, t2, t3] = crcTables;
    const fours = bytes.length & ~3;
    let c = -1;
    let i = 0;
    for (; i < fours; i += 4) {
      c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
      c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24];
    }
    for (; i < bytes.length; i++) c = (c >>> 8) ^ t0[(c ^ bytes[i]) & 255];
    return ~c >>> 0;
  }

  function adler32(sum, bytes) {
    let a = sum & 65535;
    let b = sum >>> 16;
    for (let i = 0; i < bytes.length;) {
      for (const end = Math.min(i + 3800, bytes.length); i < end; i++) {
        a += bytes[i];
        b += a;
      }
      a %= 65521;
      b %= 65521;
    }
    return ((b << 16) | a) >>> 0;
  }

  /** A chunk: the payload is filled in by the caller's function, which gets its bytes and a view of them. */
  function chunk(type, length, fill) {
    const bytes = new Uint8Array(12 + length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, length);
    for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
    if (fill) fill(bytes.subarray(8, 8 + length), new DataView(bytes.buffer, 8, length));
    view.setUint32(8 + length, crc32(bytes.subarray(4, 8 + length)));
    return bytes;
  }

  /**
   * Writes a PNG, or an animated one, part by part. Nothing is compressed: it is read once, on this machine, and
   * a deflate stream of stored blocks costs nearly no time.
   */
  class PNGWriter {
    constructor(width, height) {
      this.width = width;
      this.height = height;
      this.sequence = 0;
    }

    header(animation) {
      const parts = [
        new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
        chunk("IHDR", 13, (bytes, view) => {
          view.setUint32(0, this.width);
          view.setUint32(4, this.height);
          bytes.set([8, 6, 0, 0, 0], 8); // eight bits, R G B A
        }),
      ];
      if (animation) {
        parts.push(chunk("acTL", 8, (_, view) => {
          view.setUint32(0, animation.frameCount);
          view.setUint32(4, animation.loopCount);
        }));
      }
      this.begin(this.width, this.height);
      return joined(parts);
    }

    /** Begins the pixels of a picture or a frame. */
    begin(width, height) {
      this.row = 0;
      this.rowWidth = width;
      this.rowCount = height;
      this.adler = 1;
    }

    /** Begins a frame, which replaces a rectangle. */
    frame({ x, y, width, height }, duration) {
      this.begin(width, height);
      // A fraction of two 16-bit numbers: beyond 65 seconds, of hundredths, tenths or whole ones.
      const unit = [1000, 100, 10, 1].find(each => duration * each / 1000 < 65536);
      return chunk("fcTL", 26, (_, view) => {
        [this.sequence, width, height, x, y].forEach((value, index) => view.setUint32(4 * index, value));
        this.sequence += 1;
        view.setUint16(20, duration * unit / 1000);
        view.setUint16(22, unit);
      });
    }

    /** Rows, in stored blocks; `stride` bytes apart. */
    rows(pixels, stride, count) {
      const length = 4 * this.rowWidth;
      const raw = new Uint8Array(count * (length + 1)); // each row begins with its filter: 0, none
      for (let row = 0; row < count; row++) {
        raw.set(pixels.subarray(row * stride, row * stride + length), row * (length + 1) + 1);
      }
      const blocks = Math.ceil(raw.length / 65535);
      const isFirst = this.row === 0;
      this.row += count;
      const isLast = this.row === this.rowCount;
      this.adler = adler32(this.adler, raw);
      const numbered = this.sequence > 1 ? 4 : 0; // the first frame is the picture, in IDAT
      const size = numbered + (isFirst ? 2 : 0) + raw.length + 5 * blocks + (isLast ? 9 : 0);
      return chunk(numbered ? "fdAT" : "IDAT", size, (bytes, view) => {
        let at = numbered;
        if (numbered) view.setUint32(0, this.sequence++);
        if (isFirst) {
          bytes.set([0x78, 1], at);
          at += 2;
        }
        const block = (start, end, final) => {
          bytes[at] = final;
          view.setUint16(at + 1, end - start, true);
          view.setUint16(at + 3, ~(end - start) & 65535, true);
          bytes.set(raw.subarray(start, end), at + 5);
          at += 5 + end - start;
        };
        for (let start = 0; start < raw.length; start += 65535) block(start, Math.min(start + 65535, raw.length), 0);
        if (isLast) {
          block(0, 0, 1);
          view.setUint32(at, this.adler);
        }
      });
    }

    /** What makes a picture whole whose other rows have not come: they are transparent. */
    rest() {
      const { row, adler } = this;
      const parts = [];
      const batch = Math.max(1, Math.floor(65536 / (4 * this.rowWidth)));
      const empty = new Uint8Array(4 * this.rowWidth);
      while (this.row < this.rowCount) {
        parts.push(this.rows(empty, 0, Math.min(batch, this.rowCount - this.row)));
      }
      this.row = row;
      this.adler = adler;
      return joined(parts.concat([this.end()]));
    }

    end() { return chunk("IEND", 0); }
  }

  /** The smallest rectangle outside of which two canvases are equal, as R G B A. */
  function changed(before, after, width, height) {
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

  /**
   * What an animated PNG may have of pixels, in bytes: as many as the largest still. Small files may ask for any number:
   * frames of a pixel each at two corners in turn change all of the canvas between them.
   */
  const largestAnimation = 1 << 29;

  /**
   * WebP to PNG, animated WebP to animated PNG, as the bytes come.
   *
   *     const transcoder = new Transcoder(codec, part => …);
   *     transcoder.append(bytes) …; await transcoder.finish(); transcoder.close()
   *
   * Parts come in the order of the file. An animation needs all its bytes first.
   */
  class Transcoder {
    constructor(codec, emit) {
      this.codec = codec;
      this.emit = emit;
      this.waiting = [];
      this.sent = 0;
    }

    append(bytes) {
      if (this.stream) return this.take(() => this.stream.append(bytes));
      this.waiting.push(bytes);
      if (this.isAnimated) return;
      const start = joined(this.waiting);
      this.isAnimated = isAnimated(start);
      if (this.isAnimated !== false) return;
      this.waiting = [];
      this.stream = this.codec.stream();
      this.take(() => this.stream.append(start));
    }

    async finish() {
      if (this.isAnimated) return this.finishAnimation(joined(this.waiting));
      if (!this.stream) {
        this.stream = this.codec.stream();
        this.stream.append(joined(this.waiting));
      }
      this.take(() => this.stream.finish());
      this.emit(this.png.end());
    }

    /** Rows that are finished are written, even where an error follows. */
    take(step) {
      try {
        step();
      } finally {
        const { width, height, rows } = this.stream;
        if (!this.png && height) {
          this.png = new PNGWriter(width, height);
          this.emit(this.png.header());
        }
        if (rows > this.sent) this.emit(this.png.rows(this.stream.pixels(this.sent, rows), 4 * width, rows - this.sent));
        this.sent = rows;
      }
    }

    async finishAnimation(bytes) {
      this.stream = this.codec.animation(bytes);
      const { width, height, frameCount, loopCount } = this.stream;
      this.png = new PNGWriter(width, height);
      this.emit(this.png.header({ frameCount, loopCount }));
      let before;
      let size = 0;
      let free = 2 ** 24 + 2 ** 15 * bytes.length; // pixels of canvases, as where they are converted
      let rested = Date.now();
      for (let frame = this.stream.nextFrame(); frame; frame = this.stream.nextFrame()) {
        if (before) free -= width * height;
        const box = before ? changed(before, frame.data, width, height) : { x: 0, y: 0, width, height };
        size += 4 * box.width * box.height;
        if (size > largestAnimation || free < 0) throw new WebPError("limitExceeded", "too many pixels", -1, 1);
        this.emit(this.png.frame(box, frame.duration));
        const pixels = new Uint8Array(frame.data.buffer).subarray(4 * (box.y * width + box.x));
        this.emit(this.png.rows(pixels, 4 * width, box.height));
        before = frame.data;
        if (Date.now() < rested + 50) continue;
        await new Promise(go => setTimeout(go)); // others are at it
        rested = Date.now();
      }
      this.emit(this.png.end());
    }

    close() {
      if (this.stream) this.stream.close();
      this.stream = undefined;
    }
  }

  /**
   * Makes a PNG of a source, or of what is read as one: {id, interval}. Answers {id, part} with what there is,
   * `interval` milliseconds apart at least, then {id, done} or {id, error}; then the source is to be closed. Parts and
   * the whole are blobs. Where the memory did not suffice for several, each is tried by itself.
   */
  async function convert(job, source, answer) {
    const { id, interval } = job;
    const isAlone = turns === 1;
    let decoder;
    try {
      load().catch(() => {}); // meanwhile; its turn tells of errors
      await source.open();
      const done = await inTurn(codec => toPNG(source, decoder = codec, interval, part => answer({ id, part })));
      answer({ id, done });
    } catch (error) {
      if (decoder && decoder.isBroken && !isAlone) return convert(job, source, answer);
      const { kind, message, offset, status } = error;
      answer({ id, error: { kind, message, offset, status } });
    }
  }

  /** Converts the bytes of a file to a blob. */
  function pngOf(bytes) {
    const parts = [bytes];
    return inTurn(codec => toPNG({ read: async () => parts.pop() }, codec, Infinity));
  }

  async function toPNG(source, codec, interval, tell) {
    const parts = [];
    const blob = more => new Blob(parts.concat(more || []), { type: "image/png" });
    const transcoder = new Transcoder(codec, part => {
      if (source.isClosed) throw new Error("stopped");
      parts.push(part);
    });
    let told = 0;
    let toldRows = 0;
    try {
      for (let bytes; (bytes = await patiently(source.read()));) {
        transcoder.append(bytes);
        const { sent, png, isAnimated } = transcoder;
        if (isAnimated || sent === toldRows || sent === png.height || Date.now() - told < interval) continue;
        tell(blob([png.rest()]));
        told = Date.now();
        toldRows = sent;
      }
      await transcoder.finish();
      return blob();
    } finally {
      transcoder.close();
    }
  }

  const core = {
    WebPError, Codec, Transcoder, Source, load, inTurn, patiently, convert, pngOf, source, readerOf, request, bytesOf,
    joined, isWebP, isWebPAt, isCalledWebP, isAnimated, crc32,
    /** Returns the address of the module with vector instructions, or without: beside the script of a worker. */
    locate: simd => new URL(simd ? "pure-webp-simd.wasm" : "pure-webp.wasm", location.href).href,
    /** A compiled module, or the address of one. Undefined: `locate` selects it. */
    wasm: undefined,
    /** Whether to use vector instructions. Undefined: if the host has them. Set before the first use. */
    simd: undefined,
  };
  global.PureWebPCore = core;
})(typeof globalThis === "object" ? globalThis : self);
