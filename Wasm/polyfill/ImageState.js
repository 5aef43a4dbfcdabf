import { absolute } from "./addresses.js";

/** Sets attributes. Null removes one. */
function put(element, attributes) {
  for (const name of Object.keys(attributes)) {
    if (attributes[name] === null) element.removeAttribute(name);
    else element.setAttribute(name, attributes[name]);
  }
}

/**
 * The attributes of an `img` element before the polyfill changed them, and the address of the WebP file that it shows.
 */
export class ImageState {
  constructor(image, address) {
    this.address = address;
    this.selected = image.currentSrc || image.src;
    this.original = {};
    for (const name of ["sizes", "srcset", "src"]) this.original[name] = image.getAttribute(name);
    this.isDone = this.hasFailed = false;
    /** The attributes that the polyfill has set. */
    this.own = undefined;
  }

  /** Returns the state of the same image with another candidate selected. */
  next(address) {
    const state = Object.assign(Object.create(ImageState.prototype), this);
    return Object.assign(state, { address, selected: address, isDone: false, hasFailed: false });
  }

  /**
   * Finds the current `source` elements, because pages may change them, and their `srcset`: the attribute, or the value
   * that the polyfill has removed. Returns whether the image has, or had, several candidates.
   */
  gather(image) {
    const before = new Map(this.sources);
    const sources = image.matches("picture > img") ? image.parentNode.querySelectorAll("source") : [];
    this.sources = Array.from(sources, source => [source, source.getAttribute("srcset") || before.get(source) || null]);
    if (!this.hasSizes(image)) this.original.sizes = image.getAttribute("sizes");
    return this.original.srcset !== null || before.size + this.sources.length > 0;
  }

  /**
   * Returns whether `sizes` is unchanged. If there are `source` elements, the polyfill sets it. Otherwise only scripts
   * change it.
   */
  hasSizes(image) {
    return this.sources.length > 0 || this.original.sizes === image.getAttribute("sizes");
  }

  /** Returns whether the image still has the attributes that the polyfill has set, or before that the original ones. */
  holds(image) {
    const given = this.own || this.original;
    return ["src", "srcset"].every(name => image.getAttribute(name) === given[name]);
  }

  /**
   * Returns the descriptor of the selected candidate (2x, 800w), which determines its size on the page, and its `srcset`.
   * An address ends at white space or with a comma after it, a descriptor at a comma outside of parentheses.
   */
  descriptor() {
    for (const text of [this.original.srcset].concat(this.sources.map(([, srcset]) => srcset))) {
      const candidates = /([^\s,](?:\S*[^\s,])?)(?:,|\s+((?:\([^)]*\)?|[^,(])*))?/g;
      for (let candidate; (candidate = candidates.exec(text || ""));) {
        if (absolute(candidate[1]) === this.selected) return [(candidate[2] || "").trim(), text];
      }
    }
    return [];
  }

  set(image, url) {
    this.gather(image);
    const [descriptor, text] = this.descriptor();
    // Next to a candidate for 2x, `src` would be a candidate for 1x, so it is removed.
    this.own = descriptor ? { src: null, srcset: `${url} ${descriptor}` } : { src: url, srcset: null };
    const chosen = descriptor && this.sources.find(([, srcset]) => srcset === text);
    // Each `source` has its own `sizes`, or the default. Without `source` elements, changes by scripts remain.
    const sizes = chosen ? chosen[0].getAttribute("sizes") : this.original.sizes;
    this.sources.forEach(([source]) => source.removeAttribute("srcset"));
    put(image, Object.assign(this.sources.length ? { sizes } : {}, this.own));
  }

  restore(image) {
    this.own = undefined;
    this.sources.forEach(([source, srcset]) => put(source, { srcset }));
    put(image, this.original);
  }

  /** Returns a copy of the original image, in a copy of its `picture` element, outside of the document. */
  copy() {
    const picture = document.createElement("picture");
    this.sources.forEach(([source, srcset]) => {
      const copy = source.cloneNode();
      put(copy, { srcset });
      picture.appendChild(copy);
    });
    const copy = document.createElement("img");
    picture.appendChild(copy);
    put(copy, this.original);
    return copy;
  }
}
