/** Returns the absolute address, or null: a page may contain invalid ones. */
export function absolute(url, base = document.baseURI) {
  try {
    return new URL(url, base).href;
  } catch (error) {
    return null;
  }
}
