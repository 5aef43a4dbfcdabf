import { isAddress } from "./addresses.js";

/** Returns the `source` elements of an image. */
export const sourcesOf = image =>
  image.matches("picture > img") ? Array.from(image.parentNode.querySelectorAll("source")) : [];

/** Returns the attributes of an image and of its `source` elements that have addresses. */
export function attributesOf(image) {
  const sets = [image, ...sourcesOf(image)].map(element => ({ element, name: "srcset" }));
  return [{ element: image, name: "src" }, ...sets].map(({ element, name }) =>
    ({ element, name, text: element.getAttribute(name) || "" })).filter(({ text }) => text);
}

/** Returns a copy of an image, in a copy of its `picture` element, outside of the document. */
export function copyOf(image) {
  const picture = document.createElement("picture");
  const copy = document.createElement("img");
  picture.append(...sourcesOf(image).map(source => source.cloneNode()), copy);
  for (const name of ["sizes", "srcset", "src"]) {
    if (image.hasAttribute(name)) Element.prototype.setAttribute.call(copy, name, image.getAttribute(name)); // see members.js
  }
  return copy;
}

/**
 * Splits the text of an attribute where it has an address. In `srcset`, an address ends at white space or with a comma
 * after it, and a descriptor (2x, 800w) at a comma outside of parentheses.
 */
function split({ name, text }, address) {
  if (name === "src") return isAddress(text, address) ? ["", ""] : [text];
  const pieces = [];
  let end = 0;
  text.replace(/([^\s,](?:\S*[^\s,])?)(?:,|\s+(?:\([^)]*\)?|[^,(])*)?/g, (candidate, part, offset) => {
    if (!isAddress(part, address)) return;
    pieces.push(text.slice(end, offset));
    end = offset + part.length;
  });
  return [...pieces, text.slice(end)];
}

/** Returns the attributes of an image and of its `source` elements that have an address, with the text around it. */
export function placesOf(image, address) {
  return attributesOf(image).map(place => Object.assign(place, { pieces: split(place, address) }))
    .filter(({ pieces }) => pieces.length > 1);
}

/**
 * A WebP file that the browser has selected for an image. In the attributes, only its address is replaced. Therefore, the
 * browser selects from the page's candidates when the page changes one of the attributes.
 */
export class ImageState {
  /** `given` is the address in the attributes: the file's, or an object URL to which the file was converted before. */
  constructor(image, address, given) {
    this.address = address;
    this.given = this.url = given;
    this.isDone = this.hasFailed = false;
    /** The addresses whose events may follow. */
    this.urls = new Set([given]);
    /** The attributes that have the address. `text` is the page's text, and `own` the current one. */
    this.places = placesOf(image, given);
    for (const place of this.places) place.own = place.text;
  }

  /** Returns whether the page has left the attributes unchanged. */
  holds() {
    return this.places.every(({ element, name, own }) => element.getAttribute(name) === own);
  }

  /** Returns whether the address that the browser reports is the image's. `webp` is the address of its file, if known. */
  concerns(given, webp = given) {
    return this.urls.has(given) || webp === this.address;
  }

  /** Sets the address in the attributes. `given` restores the page's texts. */
  set(url) {
    this.url = url;
    this.urls.add(url);
    for (const place of this.places) {
      place.own = url === this.given ? place.text : place.pieces.join(url);
      place.element.setAttribute(place.name, place.own);
    }
  }
}
