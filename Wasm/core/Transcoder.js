import { isAnimated, joined } from "./bytes.js";
import { changed } from "./changed.js";
import { PNGWriter } from "./PNGWriter.js";
import { limitExceeded } from "./WebPError.js";

/**
 * The maximum size of an animated PNG's pixels, in bytes: the size of the largest still image. A small file can require
 * an arbitrarily large PNG: if frames of one pixel alternate between two corners, the changed rectangle is the complete
 * canvas.
 */
const largestAnimation = 1 << 29;

/**
 * Converts WebP to PNG, and animated WebP to animated PNG, while the bytes arrive.
 *
 *     const transcoder = new Transcoder(codec, part => …);
 *     transcoder.append(bytes) …; await transcoder.finish(); transcoder.close()
 *
 * Parts are emitted in the order of the file. An animation needs all its bytes first.
 */
export class Transcoder {
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

  /** Runs a step of the decoder and writes the rows that it has finished, also if it throws. */
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
    let free = 2 ** 24 + 2 ** 15 * bytes.length; // pixels of canvases, as in WebPExport
    let rested = Date.now();
    for (let frame = this.stream.nextFrame(); frame; frame = this.stream.nextFrame()) {
      if (before) free -= width * height;
      const box = before ? changed(before, frame.data, width, height) : { x: 0, y: 0, width, height };
      size += 4 * box.width * box.height;
      if (size > largestAnimation || free < 0) throw limitExceeded("too many pixels");
      this.emit(this.png.frame(box, frame.duration));
      const pixels = new Uint8Array(frame.data.buffer).subarray(4 * (box.y * width + box.x));
      this.emit(this.png.rows(pixels, 4 * width, box.height));
      before = frame.data;
      if (Date.now() < rested + 50) continue;
      await new Promise(go => setTimeout(go)); // lets other tasks run
      rested = Date.now();
    }
    this.emit(this.png.end());
  }

  close() {
    if (this.stream) this.stream.close();
    this.stream = undefined;
  }
}
