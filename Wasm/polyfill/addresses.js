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

/** Returns the absolute address, or null if the address is invalid. */
export function absolute(url, base = document.baseURI) {
  try {
    return new URL(url, base).href;
  } catch (error) {
    return null;
  }
}
