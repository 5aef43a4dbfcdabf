import { bytesIn, imageData } from "./decoding.js";
import { core } from "./files.js";

/** The frames of an animation, each as a complete canvas. */
export class WebPAnimation {
  static async open(source, options) {
    const bytes = await bytesIn(source);
    return new WebPAnimation((await core.load()).animation(bytes, options));
  }

  constructor(session) {
    this.session = session;
    for (const name of ["width", "height", "frameCount", "loopCount"]) this[name] = session[name];
  }

  /** Returns the next frame, or null after the last one. */
  next() {
    const frame = this.session.nextFrame();
    return frame && { index: frame.index, duration: frame.duration, image: imageData(frame) };
  }

  /** Returns the frame at `index`; `next` continues after it. */
  frame(index) {
    this.session.seek(index);
    return this.next();
  }

  /** Iterates over all frames. */
  *[Symbol.iterator]() {
    if (this.frameCount) this.session.seek(0);
    for (let frame = this.next(); frame; frame = this.next()) yield frame;
  }

  /** Releases the memory. */
  close() {
    this.session.close();
  }
}
