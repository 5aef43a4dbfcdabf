/** Returns the absolute address, or null if the address is invalid. */
export function absolute(url, base = document.baseURI) {
  try {
    return new URL(url, base).href;
  } catch (error) {
    return null;
  }
}
