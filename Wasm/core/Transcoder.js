import { completeChunks, framePixels, isAnimated, joined } from "./bytes.js";
import { changed, factorFor, isFlat, isOpaque, reduced } from "./pixels.js";
import { PNGWriter } from "./PNGWriter.js";
import { limitExceeded } from "./WebPError.js";

/**
 * The maximum size of an animated PNG's pixels, in bytes: the size of the largest still image. A small file can require
 * an arbitrarily large PNG: if frames of one pixel alternate between two corners, the changed rectangle is the complete
 * canvas.
 */
const largestAnimation = 1 << 29;

/** The maximum size of a part, in bytes of R G B A. Large parts need fewer calls, and small ones less contiguous memory. */
const largestPart = 1 << 20;

/** The number of pixels above which images of one color become one pixel. Icons and cursors, which are smaller, remain PNGs. */
const largestFlat = 1 << 22;

/** Returns whether browsers show the part of a file that precedes an error. */
const isPartial = ({ kind }) => kind === "truncated" || kind === "corrupt";

/**
 * Converts WebP to PNG, and animated WebP to animated PNG, while the bytes arrive.
 *
 *     const transcoder = new Transcoder(codec, part => …);
 *     transcoder.append(bytes) …; await transcoder.finish(); transcoder.close()
 *
 * Parts are emitted in the order of the file, by `write` and at the end. An image that is only written at the end has a
 * smaller PNG if it is opaque. An animation needs all its bytes first. After an error, `conclude` ends the PNG, as browsers
 * show the part of a corrupt or cut file that can be decoded.
 */
export class Transcoder {
  /**
   * The options are limits; `isStrict`: then an animation with an invalid frame is an error; `most`, the pixels that the PNG
   * may have, or undefined; and `plays`. If an image has more pixels, the PNG is smaller, and `size` is the image's. `plays` gets
   * {parts, size}, the PNG of an animation's first frame, and the most pixels that all frames may have. If it resolves to false,
   * the animation has no other result.
   */
  constructor(codec, emit, options = {}) {
    this.options = options;
    this.codec = codec;
    this.emit = emit;
    this.waiting = [];
    this.sent = 0;
  }

  append(bytes) {
    this.waiting.push(bytes); // they are decoded again after a pause
    if (this.isAnimated) return;
    if (this.stream) return this.stream.append(bytes);
    const start = joined(this.waiting);
    this.isAnimated = isAnimated(start);
    if (this.isAnimated === false) this.begin(start);
  }

  begin(bytes) {
    this.stream = this.codec.stream(this.options);
    this.stream.append(bytes);
  }

  async finish() {
    if (this.isAnimated) return this.finishAnimation(joined(this.waiting));
    if (!this.stream) this.begin(joined(this.waiting));
    this.stream.finish();
    this.write();
    this.emit(this.png.end());
  }

  /** Ends the PNG of a corrupt or cut file with transparent rows. If the file has no size, throws the error. */
  conclude(error) {
    this.write();
    if (!this.png || !isPartial(error)) throw error;
    this.emit(this.png.rest());
  }

  /** The number of decoded rows of an image. */
  get rows() {
    return this.stream && !this.isAnimated ? this.stream.rows : 0;
  }

  /** Writes the rows that have been decoded since the last call. */
  write() {
    if (!this.stream || this.isAnimated || !this.stream.height) return;
    const { width, height, rows } = this.stream;
    if (!this.png) this.writeHeader(width, height, rows);
    const { factor } = this;
    const most = factor * Math.max(1, Math.floor(largestPart / (4 * width * factor)));
    for (let end; this.sent < rows; this.sent = end) {
      end = Math.min(this.sent + most, rows);
      if (end < height) end -= end % factor;
      if (end === this.sent) return;
      const pixels = this.stream.pixels(this.sent, end);
      if (factor === 1) this.emit(this.png.rows(pixels, 4 * width, end - this.sent));
      else this.emit(this.png.rows(...reduced(pixels, width, end - this.sent, factor)));
    }
  }

  writeHeader(width, height, rows) {
    const { most } = this.options;
    let pixels = rows === height && this.stream.pixels(0, rows);
    this.factor = factorFor(width, height, most);
    if (this.factor > 1) this.size = [width, height];
    if (most && pixels && width * height > largestFlat && isFlat(pixels)) {
      this.size = [width, height];
      this.sent = height;
      pixels = pixels.subarray(0, 4);
      this.png = new PNGWriter(this.codec, 1, 1, isOpaque(pixels));
    } else {
      this.png = new PNGWriter(this.codec, Math.ceil(width / this.factor), Math.ceil(height / this.factor), pixels && isOpaque(pixels));
    }
    this.emit(this.png.header());
    if (this.sent) this.emit(this.png.rows(pixels, 4, 1));
  }

  /** Converts the first frame of an animation, with at most the pixels in the options. */
  still({ width, height, data }) {
    const parts = [];
    const still = new Transcoder(this.codec, part => parts.push(part), this.options);
    still.stream = { width, height, rows: height, pixels: (from, to) => new Uint8Array(data.buffer, 4 * width * from, 4 * width * (to - from)) };
    still.write();
    return { parts: parts.concat([still.png.end()]), size: still.size };
  }

  async finishAnimation(bytes) {
    this.stream = this.animation(bytes);
    const { width, height, frameCount, loopCount } = this.stream;
    const { plays } = this.options;
    const png = new PNGWriter(this.codec, width, height);
    let before;
    let size = 0;
    let free = 2 ** 24 + 2 ** 15 * bytes.length; // pixels of canvases, as in WebPExport
    let rested = Date.now();
    for (let index = 0; index < frameCount; index++) {
      const frame = this.nextFrame(before);
      if (before) free -= width * height;
      const box = before ? changed(before, frame.data, width, height) : { x: 0, y: 0, width, height };
      size += 4 * box.width * box.height;
      if (free < 0) throw limitExceeded("too many pixels for the size of the file");
      if (size > largestAnimation) throw limitExceeded("the frames have more than " + largestAnimation / 4 + " pixels");
      if (!before && plays && !await plays(this.still(frame), framePixels(bytes, width * height))) return;
      if (!before) this.emit(png.header({ frameCount, loopCount }));
      this.emit(png.frame(box, frame.duration));
      const pixels = new Uint8Array(frame.data.buffer).subarray(4 * (box.y * width + box.x));
      this.emit(png.rows(pixels, 4 * width, box.height));
      before = frame.data;
      if (Date.now() < rested + 50) continue;
      await new Promise(go => setTimeout(go)); // lets other tasks run
      rested = Date.now();
    }
    this.emit(png.end());
  }

  /** Opens an animation. If the file was cut, opens the frames that are complete. */
  animation(bytes) {
    try {
      return this.codec.animation(bytes, this.options);
    } catch (error) {
      if (this.options.isStrict || error.kind !== "truncated") throw error;
      return this.codec.animation(completeChunks(bytes), this.options);
    }
  }

  /** Returns the next frame. In place of a corrupt one, returns the canvas of the frame before it. */
  nextFrame(before) {
    try {
      return this.stream.nextFrame();
    } catch (error) {
      if (this.options.isStrict || !before || !isPartial(error)) throw error;
      return { data: before, duration: 0 };
    }
  }

  /** Releases the decoder's memory. The next piece begins again at the start of the file. */
  close() {
    if (this.stream) this.stream.close();
    this.stream = undefined;
  }
}
