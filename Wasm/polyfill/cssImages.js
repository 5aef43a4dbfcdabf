/** Matches text that may contain images: the value of a property, or declarations. */
export const mayHaveImage = /url\(|image-set\(/i;

const quoted = String.raw`"([^"\\]*(?:\\[^][^"\\]*)*)"|'([^'\\]*(?:\\[^][^'\\]*)*)'`;

/**
 * Matches the tokens of a value: url(), strings, comments and names. Of the five groups, three have the address in url(),
 * and two the text of a string, which is an address in image-set() only. An address without quotes has white space only
 * at its ends, where URLs ignore it, and after escapes.
 */
const tokens = new RegExp(
  String.raw`url\(\s*(?:${quoted}|([^"'()\\]*(?:\\[^][^"'()\\]*)*))\s*\)|${quoted}|/\*[^]*?\*/|[-\w]+`, "gi");

/** Returns the text of a string or an address without escapes: CSS Syntax Level 3, section 4.3.7. */
function unescaped(text) {
  return text.replace(/\\(?:([\da-f]{1,6})(?:\r\n|\s)?|\r\n|[\n\r\f]|([^]))/gi, (all, digits, character = "") => {
    const code = parseInt(digits, 16);
    const isValid = code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
    return digits ? String.fromCodePoint(isValid ? code : 0xfffd) : character;
  });
}

/** Calls back with each address in a value. Returns the value with the results in place of the addresses. */
function mapped(value, change) {
  const inSet = /image-set\(/i.test(value);
  return value.replace(tokens, (all, ...groups) => {
    const text = groups.slice(0, inSet ? 5 : 3).find(group => group !== undefined);
    return text === undefined ? all : change(unescaped(text), all);
  });
}

/** Returns the addresses of the images in the value of a property. */
export function imagesIn(value) {
  const found = [];
  mapped(value, address => found.push(address));
  return found;
}

/** Returns a value with other addresses. `urls` has them by address. */
export const withImages = (value, urls) =>
  mapped(value, (address, all) => urls.has(address) ? `url("${urls.get(address)}")` : all);
