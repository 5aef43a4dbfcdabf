/**
 * Calls back with each object of which a script uses one of these members of its prototype, the value, and whether it is set.
 * Returns a function that restores the prototype. Inherited members are read from the parent, where other scripts may replace them.
 */
export function tap(prototype, names, call) {
  const parent = Object.getPrototypeOf(prototype);
  const undo = names.map(name => {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    const owner = Object.create(parent, own ? { [name]: own } : {});
    const get = function () {
      const value = Reflect.get(owner, name, this);
      if (this !== prototype) call(this, value, false);
      return value;
    };
    const set = function (value) {
      call(this, value, true);
      Reflect.set(owner, name, value, this);
    };
    Object.defineProperty(prototype, name, { configurable: true, enumerable: true, get, set });
    return () => {
      if ((Object.getOwnPropertyDescriptor(prototype, name) || {}).get !== get) return;
      if (own) Object.defineProperty(prototype, name, own);
      else delete prototype[name];
    };
  });
  return () => undo.forEach(each => each());
}

/**
 * Calls back with each image of a window that a script may wait for, when it sets a source or a listener: outside of the document,
 * however an image was created, its events reach no other listener.
 */
export const tapImages = ({ HTMLImageElement }, call) =>
  tap(HTMLImageElement.prototype, ["addEventListener", "onload", "onerror", "setAttribute", "src", "srcset"], call);

/** Adds a listener of an image without the members above. */
export const listen = (image, type, listener) => EventTarget.prototype.addEventListener.call(image, type, listener);
