import { joined } from "./bytes.js";

/**
 * Writes a PNG or an animated PNG, part by part. The pixels are stored without compression, because the file is read once,
 * on the same machine. An opaque PNG has three bytes for each pixel instead of four.
 */
export class PNGWriter {
  constructor(codec, width, height, isOpaque = false) {
    this.codec = codec;
    this.width = width;
    this.height = height;
    this.channels = isOpaque ? 3 : 4;
    this.sequence = 0;
  }

  /** Returns a chunk. `fill` gets a DataView of the payload, and writes it. */
  chunk(type, length = 0, fill = () => {}) {
    const bytes = new Uint8Array(12 + length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, length);
    for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
    fill(new DataView(bytes.buffer, 8, length));
    view.setUint32(8 + length, this.codec.lend(bytes.subarray(4, 8 + length), address => this.codec.call("webp_crc", address, 4 + length)));
    return bytes;
  }

  header(animation) {
    const parts = [
      new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
      this.chunk("IHDR", 13, view => {
        view.setUint32(0, this.width);
        view.setUint32(4, this.height);
        view.setUint16(8, this.channels === 3 ? 0x802 : 0x806); // eight bits, R G B or R G B A
      }),
    ];
    if (animation) {
      parts.push(this.chunk("acTL", 8, view => {
        view.setUint32(0, animation.frameCount);
        view.setUint32(4, animation.loopCount);
      }));
    }
    this.begin(this.width, this.height);
    return joined(parts);
  }

  /** Begins the pixels of an image or a frame. */
  begin(width, height) {
    this.row = 0;
    this.rowWidth = width;
    this.rowCount = height;
    this.adler = 1;
  }

  /** Begins a frame, which replaces a rectangle. */
  frame({ x, y, width, height }, duration) {
    this.begin(width, height);
    // A duration is a fraction of two 16-bit numbers, so durations above 65 seconds are rounded down to hundredths,
    // tenths or entire seconds.
    const unit = [1000, 100, 10, 1].find(each => duration * each / 1000 < 65536);
    return this.chunk("fcTL", 26, view => {
      [this.sequence, width, height, x, y].forEach((value, index) => view.setUint32(4 * index, value));
      this.sequence += 1;
      view.setUint16(20, duration * unit / 1000);
      view.setUint16(22, unit);
    });
  }

  /** Writes rows of R G B A that are `stride` bytes apart, in stored blocks. */
  rows(pixels, stride, count) {
    const { codec } = this;
    if (pixels.buffer === codec.exports.memory.buffer) return this.pack(pixels.byteOffset, stride, count);
    return codec.lend(pixels.subarray(0, stride * (count - 1) + 4 * this.rowWidth), address => this.pack(address, stride, count));
  }

  /** Writes rows at an address. */
  pack(pixels, stride, count) {
    const { codec, channels, rowWidth } = this;
    const length = count * (channels * rowWidth + 1);
    const blocks = Math.ceil(length / 65535);
    const isFirst = this.row === 0;
    this.row += count;
    const isLast = this.row === this.rowCount;
    const isNumbered = this.sequence > 1; // the first frame is in IDAT
    const size = 8 + (isNumbered ? 4 : 0) + (isFirst ? 2 : 0) + length + 5 * blocks + (isLast ? 9 : 0) + 4;
    const header = this.chunk(isNumbered ? "fdAT" : "IDAT");
    return codec.borrow(size, address => {
      const bytes = new Uint8Array(codec.exports.memory.buffer, address, size);
      const view = new DataView(bytes.buffer, address);
      bytes.set(header);
      view.setUint32(0, size - 12);
      let at = 8;
      if (isNumbered) view.setUint32((at += 4) - 4, this.sequence++);
      if (isFirst) view.setUint16((at += 2) - 2, 0x7801);
      const block = (length, isFinal) => {
        bytes[at] = isFinal;
        view.setUint16(at + 1, length, true);
        view.setUint16(at + 3, ~length & 65535, true);
        at += 5;
      };
      // The rows are written where they end. Then each block is moved to its position, so no second buffer is needed.
      let start = at + 5 * blocks;
      const end = start + length;
      this.adler = codec.call("webp_pack", address + start, pixels, stride, rowWidth, count, channels, this.adler);
      for (let next; start < end; start = next) {
        next = Math.min(start + 65535, end);
        block(next - start, 0);
        bytes.copyWithin(at, start, next);
        at += next - start;
      }
      if (isLast) {
        block(0, 1);
        view.setUint32(at, this.adler);
      }
      const sum = codec.call("webp_crc", address + 4, size - 8); // may grow the memory
      const part = new Uint8Array(codec.exports.memory.buffer, address, size).slice();
      new DataView(part.buffer).setUint32(size - 4, sum);
      return part;
    });
  }

  /** Returns an end of the file, with transparent rows in place of the missing ones. The writer can still continue with rows. */
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

  end() { return this.chunk("IEND"); }
}
