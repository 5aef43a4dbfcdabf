import { Session } from "./Session.js";
import { limitExceeded, limitsOf } from "./WebPError.js";

/** An instance of the decoder's module. */
export class Codec {
  constructor(instance) {
    this.exports = instance.exports;
    this.sessions = 0;
    this.isBroken = false;
  }

  /** Decodes an image, or the first frame of an animation: {width, height, data}. */
  decode(bytes, options) {
    const session = this.session(bytes, "webp_decode", options);
    try {
      session.check();
      return session.image();
    } finally {
      session.close();
    }
  }

  /** Returns a session to which bytes are appended. */
  stream(options) {
    return new Session(this, this.call("webp_open", ...limitsOf(options)));
  }

  /** Returns a session that has frames. */
  animation(bytes, options) {
    const session = this.session(bytes, "webp_animation", options);
    try {
      session.check();
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  session(bytes, name, options) {
    const limits = limitsOf(options);
    return this.lend(bytes, address => new Session(this, this.call(name, address, bytes.length, ...limits)));
  }

  /** Calls back with the address of memory, which exists until the callback returns. */
  borrow(count, use) {
    const address = this.call("webp_allocate", count);
    if (!address) throw limitExceeded("no memory for the file");
    try {
      return use(address);
    } finally {
      if (!this.isBroken) this.call("webp_free", address);
    }
  }

  /** Calls back with the address of a copy of the bytes. */
  lend(bytes, use) {
    return this.borrow(bytes.length, address => {
      new Uint8Array(this.exports.memory.buffer).set(bytes, address);
      return use(address);
    });
  }

  /**
   * Calls a function of the module that returns an address. Addresses above 2 GiB arrive as negative numbers. If the
   * module runs out of memory, it traps, and the instance cannot be used any more.
   */
  call(name, ...values) {
    if (this.isBroken) throw this.stopped("another image has taken the memory");
    try {
      return this.exports[name](...values) >>> 0;
    } catch (error) {
      this.isBroken = true;
      throw this.stopped(error.message);
    }
  }

  stopped(reason) {
    return Object.assign(limitExceeded("the decoder has stopped: " + reason), { isMemory: true });
  }

  /** Closes a session. After the last one, an instance with much memory is released. */
  close(handle) {
    this.sessions -= 1;
    if (!this.isBroken) this.call("webp_close", handle);
    const size = this.exports.memory.buffer.byteLength;
    if (!this.sessions && size > Codec.retainedMemory) Codec.current = Codec.current.map(each => each === this ? undefined : each);
  }
}

/**
 * The instances that all conversions of this script share. The second one decodes large images, because small ones would
 * divide the memory that a large one has released.
 */
Codec.current = [];

/**
 * The memory that an idle instance may retain, in bytes. A module's memory never shrinks. The polyfill's worker for large
 * images retains all, until it is ended.
 */
Codec.retainedMemory = 1 << 26;
