import { WebPError } from "./WebPError.js";

/** The options that limit images, with their defaults: the library's on 64-bit platforms. */
const defaults = { maximumPixels: 2 ** 27, unrestrictedPixels: 2 ** 26, maximumPixelsPerByte: 2 ** 8 };

const largest = 2 ** 31 - 1;

/** Returns the limits in `options`, in the order in which the module takes them. */
export function limitsOf(options = {}) {
  return Object.keys(defaults).map(name => {
    const value = options[name] === undefined ? defaults[name] : options[name];
    if (!(value >= 0)) throw new WebPError("invalidOptions", name + " must be a number, not " + value, -1, 2);
    return Math.min(value, largest);
  });
}
