import { WebPError } from "./WebPError.js";

const kinds = ["", "notWebP", "truncated", "corrupt", "unsupported", "limitExceeded", "invalidOptions"];

// The indices of the 32-bit words at a session's address: see Sources/Session.swift.
const [ERROR, WIDTH, HEIGHT, ROWS, PIXELS, OFFSET, FRAME, DURATION, FRAMES, LOOPS, STATUS, DETAIL] = Array(12).keys();

/** An image or animation that is being decoded in the module's memory. */
export class Session {
  constructor(codec, handle) {
    this.codec = codec;
    this.handle = handle;
    codec.sessions += 1;
  }

  /** The session's address. Throws after `close`, because other objects may be at the address. */
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

  /** Returns {index, duration, width, height, data}, or null after the last frame. */
  nextFrame() {
    this.codec.call("webp_next", this.address);
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

  /** Returns a copy of rows. */
  copy(from, to) {
    return new Uint8ClampedArray(this.pixels(from, to).slice().buffer);
  }

  /** Returns a view of rows in the module's memory, which is valid until the next call. */
  pixels(from, to) {
    const stride = 4 * this.width;
    const start = this.word(PIXELS) >>> 0;
    return new Uint8Array(this.codec.exports.memory.buffer, start + from * stride, (to - from) * stride);
  }

  /** Throws the session's error, if it has one. */
  check() {
    const kind = this.word(ERROR);
    if (kind) throw new WebPError(kinds[kind], this.detail(), this.word(OFFSET), this.word(STATUS));
  }

  /** The text of the error. */
  detail() {
    const bytes = new Uint8Array(this.codec.exports.memory.buffer);
    let text = "";
    for (let at = this.word(DETAIL) >>> 0; bytes[at]; at++) text += String.fromCharCode(bytes[at]);
    const offset = this.word(OFFSET);
    return offset < 0 ? text : text + " (at byte " + offset + ")";
  }

  close() {
    const { handle, codec } = this;
    if (!handle) return;
    this.handle = 0;
    codec.close(handle);
  }
}
