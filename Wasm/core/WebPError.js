/** An error of the decoder or of its module. `kind`, `offset` and `status` are documented in pure-webp.d.ts. */
export class WebPError extends Error {
  constructor(kind, message, offset = -1, status = 1) {
    super(message);
    this.name = "WebPError";
    this.kind = kind;
    this.offset = offset;
    this.status = status;
  }
}

export const unavailable = message => new WebPError("moduleUnavailable", message);

export const limitExceeded = message => new WebPError("limitExceeded", message);

/** The options that limit images, with their defaults: the library's on 64-bit platforms. */
const defaults = { maximumPixels: 2 ** 27, unrestrictedPixels: 2 ** 26, maximumPixelsPerByte: 2 ** 8 };

/** Returns the limits in `options`, in the order in which the module takes them. */
export function limitsOf(options = {}) {
  return Object.keys(defaults).map(name => {
    const value = options[name] === undefined ? defaults[name] : options[name];
    if (!(value >= 0)) throw new WebPError("invalidOptions", name + " must be a number, not " + value, -1, 2);
    return Math.min(value, 2 ** 31 - 1);
  });
}
