import { absolute } from "./addresses.js";
import { ImageState } from "./ImageState.js";

const credentialsOf = image => image.crossOrigin === "use-credentials" ? "include" : "same-origin";

/** The `img` elements of a page, and its images outside of the document. */
export class Images {
  constructor(page) {
    this.page = page;
    this.options = page.options;
    this.cache = page.cache;
    this.states = new WeakMap();
    /** Events of lazy images, which the page receives when the images are near the viewport. */
    this.deferred = new WeakMap();
  }

  /** Restores images that are not complete. Returns the addresses of all images. */
  stop() {
    this.isStopped = true;
    clearTimeout(this.resizing);
    if (this.lazy) this.lazy.disconnect();
    const shown = new Set();
    document.querySelectorAll("img").forEach(image => {
      const state = this.states.get(image);
      if (state && !state.isDone) this.leave(image, state);
      shown.add(image.currentSrc || image.src);
    });
    this.states = new WeakMap();
    return shown;
  }

  /** Checks, after the browser has selected a candidate, whether it is WebP. */
  consider(image) {
    const before = this.states.get(image);
    // The page has changed the attributes, so the image shows something else.
    const isChanged = before && !before.holds(image);
    if (isChanged) this.states.delete(image);
    else if (before && before.own) return before.hasSizes(image) || this.reselectSoon();
    if (this.isStopped || !this.isNear(image)) return;
    Promise.resolve().then(() => {
      const state = this.states.get(image);
      // The browser may not have selected yet, or may still report the previous image. Then an event follows.
      const given = image.currentSrc || (image.matches("[srcset], picture > img") ? "" : image.src);
      const webp = this.cache.webpAddress(given);
      const address = webp || given;
      const unheard = this.deferred.get(image);
      // In Chromium 69, a selection by `sizes` can fail without an event.
      if (!address && !image.complete && image.isConnected) setTimeout(() => this.consider(image), 250);
      if (!address || isChanged && address === before.address) return;
      if (state && state.hasFailed && state.address === address) return;
      if (webp) this.show(image, webp, unheard);
      else if (image.complete && !image.naturalWidth) this.sniff(image, address, unheard);
    });
  }

  /**
   * Returns whether an image is shown now: all but lazy images far from the viewport, which are observed. Browsers without
   * WebP do not know lazy loading, so the attribute is read instead of the property.
   */
  isNear(image) {
    if (image.getAttribute("loading") !== "lazy" || typeof IntersectionObserver !== "function") return true;
    if (!this.lazy) {
      this.lazy = new IntersectionObserver(entries => entries.forEach(({ isIntersecting, target }) => {
        if (!isIntersecting) return;
        this.lazy.unobserve(target);
        this.near.add(target);
        this.consider(target);
      }), { rootMargin: "500px" });
      this.near = new WeakSet();
    }
    if (this.near.has(image)) return true;
    this.lazy.observe(image);
    return false;
  }

  /** Shows an image. `unheard` is the event of the browser's own attempt, if it was hidden from the page. */
  async show(image, address, unheard) {
    const before = this.states.get(image);
    if (before && before.address === address && !before.isDone) return;
    const state = before && before.own ? before.next(address) : new ImageState(image, address);
    state.gather(image);
    state.unheard = unheard;
    this.states.set(image, state);
    // Registers the media queries of the sources.
    state.sources.forEach(([source]) => source.media && this.page.applies({ mediaText: source.media }));
    const isCurrent = () => this.states.get(image) === state;
    const set = (url, isEmpty = false) => {
      const isFirst = !state.isVisible; // the image fades in, unless the user prefers less motion
      state.set(image, url);
      state.isVisible = !isEmpty;
      if (isFirst && !isEmpty && this.options.fade && image.animate && !matchMedia("(prefers-reduced-motion)").matches) {
        image.animate([{ opacity: 0 }, { opacity: getComputedStyle(image).opacity }], this.options.fade);
      }
    };
    try {
      const url = await this.cache.get(address, credentialsOf(image), (part, isEmpty) => {
        if (isCurrent()) set(part, isEmpty);
      });
      if (!isCurrent()) return;
      state.isDone = true;
      set(url);
    } catch (error) {
      state.failure = error;
      if (isCurrent()) this.leave(image, state);
    }
  }

  /**
   * Restores an image that cannot be shown. If its attributes were changed, the browser reports an error again. Otherwise
   * the deferred event is dispatched.
   */
  leave(image, state) {
    state.isDone = state.hasFailed = true;
    if (state.own) state.restore(image);
    else if (state.unheard) image.dispatchEvent(new Event(state.unheard));
  }

  /** Checks whether an image that the browser could not show is WebP by another name. */
  async sniff(image, address, unheard) {
    const state = new ImageState(image, address);
    this.states.set(image, state);
    state.unheard = unheard;
    state.hasFailed = true;
    const isWebP = await this.page.service.isWebP(address, credentialsOf(image));
    if (this.states.get(image) !== state) return;
    if (!isWebP) return this.leave(image, state);
    this.states.delete(image);
    this.show(image, address, state.unheard);
  }

  /**
   * Returns whether an event of an image must be hidden from the page. The page receives `load` when the image is
   * complete, and `error` if it cannot be shown.
   */
  hear(image, type) {
    const state = this.states.get(image);
    const given = image.currentSrc || image.src;
    const webp = this.cache.webpAddress(given);
    const address = webp || given;
    // If the source has changed meanwhile, an error belongs to the next image.
    if (state && !state.isDone && (type === "load" || state.address === address)) {
      state.unheard = type;
      return true;
    }
    if (type === "load" ? state || !webp : state && state.hasFailed && state.address === address) return false;
    if (!address) return false;
    if (image.isConnected && !this.isNear(image)) this.deferred.set(image, type);
    else if (webp) this.show(image, webp, type);
    else this.sniff(image, address, type);
    return true;
  }

  reselectSoon() {
    clearTimeout(this.resizing);
    this.resizing = setTimeout(() => this.reselect(), 200);
  }

  /**
   * Checks whether the browser selects another candidate after a change of the window, the media or the sources. A copy
   * of the image shows the selection. Images of other formats are included, because a browser reports no event if the
   * candidate cannot be shown.
   */
  reselect(images = document.querySelectorAll("img")) {
    images.forEach(image => {
      const known = this.states.get(image);
      const state = known || new ImageState(image);
      if (known && known.isDone && !known.own || !state.gather(image)) return;
      if (!known && !(this.hasWebP(state) && this.isNear(image))) return;
      const copy = state.copy();
      copy.onload = copy.onerror = () => {
        const address = copy.currentSrc;
        if (this.states.get(image) !== known || address === state.address) return;
        if (this.options.matches(address)) return this.show(image, address);
        if (!known) return;
        this.states.delete(image);
        state.restore(image);
      };
    });
  }

  hasWebP({ original, sources }) {
    const texts = [original.srcset].concat(sources.map(([, srcset]) => srcset));
    return texts.some(text => (text || "").split(/[\s,]+/).some(part => this.options.matches(absolute(part) || "")));
  }
}
