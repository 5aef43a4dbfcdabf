import { absolute, requestOf } from "./addresses.js";
import { urlIn } from "./Cache.js";
import { ImageState, attributesOf, copyOf, placesOf, sourcesOf } from "./ImageState.js";
import { listen } from "./members.js";

/** The `img` elements of a page, and its images outside of the document. */
export class Images {
  constructor(page) {
    this.page = page;
    this.options = page.options;
    this.cache = page.cache;
    this.states = new WeakMap();
    /** The images in the viewport that may have fewer pixels or frames than their files. */
    this.visible = new Set();
    /** Events of lazy images, which the page receives when the images are near the viewport. */
    this.deferred = new WeakMap();
  }

  /** Returns the object URLs in the attributes of all images. */
  shown() {
    const urls = new Set();
    this.page.connectedRoots().forEach(root => root.querySelectorAll("img").forEach(image =>
      attributesOf(image).forEach(({ text }) => text.replace(/blob:[^\s,]+/g, url => urls.add(url)))));
    return urls;
  }

  /** Restores images that are not complete. */
  stop() {
    [this.resizing, this.balancing].forEach(clearTimeout);
    for (const observer of [this.lazy, this.viewport]) if (observer) observer.disconnect();
    document.querySelectorAll("img").forEach(image => {
      const state = this.stateOf(image);
      if (state && !state.isDone) this.leave(image, state);
    });
    this.states = new WeakMap();
  }

  /** Returns the state of an image, unless the page has changed its attributes. */
  stateOf(image) {
    const state = this.states.get(image);
    return state && state.holds() ? state : undefined;
  }

  /** Checks, after the browser has selected a candidate, whether it is WebP. */
  consider(image) {
    if (this.page.isStopped || !this.isNear(image)) return;
    Promise.resolve().then(() => {
      // The browser may not have selected yet, or may still report the previous image. Then an event follows.
      const given = image.currentSrc || (image.matches("[srcset], picture > img") ? "" : image.src);
      // In Chromium 69, a selection by `sizes` can fail without an event.
      if (!given && !image.complete && image.isConnected) setTimeout(() => this.consider(image), 250);
      const webp = this.cache.webpAddress(given);
      const state = this.stateOf(image);
      if (!placesOf(image, given).length || state && state.concerns(given, webp)) return;
      const unheard = this.deferred.get(image);
      if (webp) this.show(image, given, unheard);
      else if (image.complete && !image.naturalWidth) this.sniff(image, given, unheard);
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

  /**
   * Shows the image whose address, `given`, the browser has selected. `unheard` is the event of the browser's own attempt,
   * if it was hidden from the page.
   */
  async show(image, given, unheard) {
    const address = this.cache.webpAddress(given) || given;
    const before = this.stateOf(image);
    if (before && before.address === address && !before.isDone) return;
    const state = new ImageState(image, address, given);
    state.unheard = unheard;
    state.isVisible = before && before.isVisible;
    state.isHeard = before && before.isHeard && before.address === address;
    this.states.set(image, state);
    // Registers the media queries of the sources.
    sourcesOf(image).forEach(({ media }) => media && this.page.applies({ mediaText: media }));
    const isCurrent = () => this.stateOf(image) === state;
    const set = (url, isEmpty = false) => {
      const isFirst = !state.isVisible; // the image fades in, unless the user prefers less motion
      state.set(url);
      state.isVisible = !isEmpty;
      if (isFirst && !isEmpty && this.options.fade && image.animate && !matchMedia("(prefers-reduced-motion)").matches) {
        image.animate([{ opacity: 0 }, { opacity: getComputedStyle(image).opacity }], this.options.fade);
      }
    };
    try {
      const entry = await this.cache.get(address, requestOf(image), image, (part, isEmpty) => {
        if (isCurrent()) set(part, isEmpty);
      });
      if (!isCurrent()) return;
      state.isDone = true;
      state.entry = entry;
      state.silent = state.isHeard && urlIn(entry);
      if (state.url !== urlIn(entry)) set(urlIn(entry));
      else if (state.unheard === "load") image.dispatchEvent(new Event("load")); // it was the first frame's
      if (entry.frames || entry.missing) this.watch(image);
    } catch (error) {
      state.failure = error;
      if (isCurrent()) this.leave(image, state);
    }
  }

  /** Observes an image that has fewer pixels or frames when it is not visible, or while there is no room. */
  watch(image) {
    this.visible.add(image);
    if (typeof IntersectionObserver !== "function") return this.balanceSoon();
    this.viewport = this.viewport || new IntersectionObserver(records => {
      records.forEach(({ isIntersecting, target }) => {
        this.visible[isIntersecting ? "add" : "delete"](target);
        const { entry } = this.stateOf(target) || {};
        if (entry && !isIntersecting) this.replace(target, entry.url);
      });
      this.balance();
    });
    this.viewport.unobserve(image); // then the first record follows again
    this.viewport.observe(image);
  }

  /** Replaces the URL of a complete image. The page does not receive another `load`. */
  replace(image, url) {
    const state = this.stateOf(image);
    if (state.url === url) return;
    state.silent = state.isHeard && url;
    state.set(url);
  }

  balanceSoon() {
    if (this.visible.size + this.cache.playing.size) this.balancing = this.balancing || setTimeout(() => this.balance(), 200);
  }

  /** Shows visible images with all their pixels and frames, as far as there is room. Releases the frames of the others. */
  balance() {
    this.balancing = undefined;
    this.visible.forEach(image => image.isConnected && (this.stateOf(image) || {}).entry || this.visible.delete(image));
    const entries = new Set(Array.from(this.visible, image => this.stateOf(image).entry));
    this.cache.playing.forEach(entry => entries.has(entry) || this.cache.rest(entry));
    let room = this.cache.roomFor(undefined, Infinity);
    this.visible.forEach(async image => {
      const state = this.stateOf(image);
      if (state.entry.missing > room) return;
      room -= state.entry.missing || 0;
      if (state.entry.missing) {
        const entry = await this.cache.get(state.address, requestOf(image), image).catch(() => state.entry);
        if (this.stateOf(image) !== state || !this.visible.has(image)) return this.balanceSoon();
        state.entry = entry;
      }
      this.replace(image, urlIn(state.entry));
    });
  }

  /**
   * Restores an image that cannot be shown. If its attributes were changed, the browser reports an error again. Otherwise
   * the deferred event is dispatched.
   */
  leave(image, state) {
    state.isDone = state.hasFailed = true;
    if (state.url !== state.given) state.set(state.given);
    else if (state.unheard) image.dispatchEvent(new Event(state.unheard));
  }

  /** Checks whether an image that the browser could not show is WebP by another name. */
  async sniff(image, address, unheard) {
    const state = new ImageState(image, address, address);
    this.states.set(image, state);
    state.unheard = unheard;
    state.hasFailed = true;
    const isWebP = await this.page.service.isWebP(address, requestOf(image));
    if (this.stateOf(image) !== state) return;
    if (!isWebP) return this.leave(image, state);
    this.states.delete(image);
    this.show(image, address, state.unheard);
  }

  /**
   * Returns whether an event of an image must be hidden from the page. The page receives `load` when the image is
   * complete, and `error` if it cannot be shown.
   */
  hear(image, type) {
    const given = image.currentSrc || image.src;
    const webp = this.cache.webpAddress(given);
    const state = this.stateOf(image);
    // In Firefox, the event of the previous source may follow after another source has been set.
    const isLate = !image.complete || !placesOf(image, given).length;
    if (state && state.concerns(given, webp)) {
      if (!state.isDone) {
        state.unheard = type;
        return true;
      }
      if (state.hasFailed) return false;
      // In Firefox, the event of the browser's own attempt may follow after the image has been replaced.
      const isOwn = type === "error" && state.unheard !== type && image.naturalWidth;
      if (isOwn) state.unheard = type;
      if (isLate || isOwn) return true;
      if (given === state.url && (type === "load" || !webp)) {
        const isSilent = type === "load" && given === state.silent;
        Object.assign(state, { isHeard: true, silent: undefined });
        return isSilent;
      }
    }
    if (type === "load" && !webp) {
      this.states.delete(image); // the browser has selected another image meanwhile
      return false;
    }
    if (isLate) return !!webp && webp !== given; // an incomplete image of the polyfill
    if (image.isConnected && !this.isNear(image)) this.deferred.set(image, type);
    else if (webp) this.show(image, given, type);
    else this.sniff(image, given, type);
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
      if (!image.matches("[srcset], picture > img") || !this.hasWebP(image) || !this.isNear(image)) return;
      const before = this.states.get(image);
      const copy = copyOf(image);
      for (const type of ["load", "error"]) listen(copy, type, () => {
        const given = copy.currentSrc;
        const webp = this.cache.webpAddress(given);
        const state = this.stateOf(image);
        if (webp && this.states.get(image) === before && !(state && state.concerns(given, webp))) this.show(image, given);
      });
    });
  }

  hasWebP(image) {
    return attributesOf(image).some(({ text }) =>
      text.split(/[\s,]+/).some(part => this.cache.webpAddress(absolute(part))));
  }
}
