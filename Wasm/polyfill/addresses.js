/**
 * Returns the options of the request that a browser sends for an element. A browser that does not know an attribute has no
 * property of that name.
 */
export const requestOf = ({ crossOrigin, referrerPolicy, fetchPriority }) => ({
  credentials: crossOrigin === "use-credentials" ? "include" : "same-origin", referrerPolicy, priority: fetchPriority,
});

/** Returns whether an element is in the viewport. */
export function isVisible(element) {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom >= 0 && right >= 0 && top <= innerHeight && left <= innerWidth;
}

/**
 * Returns the most pixels of an element that the screen shows. Before its image is shown, an element without CSS dimensions
 * has no size, or the one of a symbol, and an element with one of them is not as high as it will be.
 */
export function screenPixels(element) {
  const { width, height } = element.getBoundingClientRect();
  const side = Math.max(width, height);
  const viewport = innerWidth * innerHeight;
  return Math.min(side > 32 ? side ** 2 : viewport, viewport) * devicePixelRatio ** 2;
}

let anchor;

/**
 * Returns the absolute address. Without a base, it is the address of an attribute: relative to the document, in whose encoding its
 * query is. Returns null, or the text, if it is invalid.
 */
export function absolute(text, base) {
  if (!base) {
    anchor = anchor || document.createElement("a");
    anchor.href = text;
    return anchor.href;
  }
  try {
    return new URL(text, base).href;
  } catch (error) {
    return null;
  }
}

/** The last bases of the document: the addresses to which attributes were relative. */
const bases = [];

/** Stores the document's base. It changes with the address of a single-page app, and with a `base` element. */
export function storeBase() {
  if (bases[0] !== document.baseURI) bases.unshift(document.baseURI);
  bases.length = Math.min(bases.length, 9);
}

/** Returns whether the text of an attribute names a file. The browser may have requested it before the base changed. */
export const isAddress = (text, address) =>
  absolute(text) === address || bases.some(base => absolute(text, base) === address);
