import { isVisible, screenPixels } from "./addresses.js";
import { blobOf, gif, shows } from "./detection.js";

/** Resolves to whether the page's policy permits images from object URLs. */
export async function permitsBlobs() {
  const url = URL.createObjectURL(blobOf(gif));
  const isShown = await shows(url);
  URL.revokeObjectURL(url);
  return isShown;
}

/** Writes one line to the console: the reason why nothing can be shown on the page. */
export const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);

/**
 * Releases an object URL after a second, because an image may be about to load it. Until then, the browser retains the
 * data. If an image loads the URL later, that fails, and the image is converted again.
 */
const release = (url, time = 1000) => url && setTimeout(() => URL.revokeObjectURL(url), time);

/** Returns an object URL of a blob. A data URL, which needs none, is returned unchanged. */
const urlOf = image => typeof image === "string" ? image : URL.createObjectURL(image);

const sizeOf = image => image.size || image.length;

/** Returns the object URL of an entry's animation, or of its image if it has no frames. */
export const urlIn = ({ url, moving }) => moving && moving.url || url;

/**
 * Converted images, by request and address. The least recently used ones are evicted, except images of styles. `url` is the image,
 * or an animation's first frame; `moving` is the animation while it plays, whose URL is released first. `frames` is the number of
 * its pixels, and `missing` the number that an entry would have with all frames, or all pixels.
 */
export class Cache {
  /** `shown` returns the object URLs in the attributes of the page's images. */
  constructor(service, options, shown) {
    this.service = service;
    this.options = options;
    this.shown = shown;
    this.entries = new Map();
    /** Evicted images that may still be shown. */
    this.evicted = new Set();
    /** The entries of animations that play, or whose frames are being converted. */
    this.playing = new Set();
    this.bytes = 0;
    /** The addresses of images by released object URL. Copies of elements may still contain these URLs. */
    this.sources = new Map();
    /** The object URLs in rules, as of the last scan and since then. */
    this.pinned = new Set();
  }

  /** Returns the address of the WebP file that a URL names or was converted from, or undefined. */
  webpAddress(url) {
    return this.sources.get(url) || (url && this.options.matches(url) ? url : undefined);
  }

  /**
   * Resolves to the entry of the complete image. `init` has the options of the request. The element of a
   * style sheet is the document's. Calls `onPart` with object URLs of incomplete images. Only `img` elements pass `onPart`. For
   * them, a failed conversion is tried again.
   */
  get(url, init, element, onPart) {
    const key = JSON.stringify(init) + url;
    let entry = this.entries.get(key);
    // The image has fewer pixels or frames than its file. Now there may be room, or the screen may show more.
    const { missing: lack, isLoading, frames, pixels } = entry && entry.url ? entry : {};
    const missing = lack && !isLoading && (lack <= this.roomFor(entry, lack) || !frames && screenPixels(element) > pixels) && lack;
    if (missing && entry.frames) this.reserve(entry);
    else if (missing && !this.isNeeded(entry) || entry && entry.moving && entry.moving.isReleased) entry = this.evict(entry);
    if (!entry || entry.hasFailed && onPart) entry = { key, address: url, watchers: [], users: [], pixels: missing || 0 };
    if (!entry.complete || entry.moving && !entry.moving.url && !entry.isLoading) entry.complete = this.load(url, init, entry);
    if (entry.isLoading) entry.users.push(element);
    this.entries.delete(key);
    this.entries.set(key, entry); // the last one
    if (onPart && !entry.url) entry.watchers.push(onPart);
    return entry.complete;
  }

  /**
   * Returns the pixels that an image may have: `shownPixels` without the other images, shown, retained or being decoded. If these are
   * fewer than `wanted`, images that are only retained do not count.
   */
  roomFor(entry, wanted) {
    const room = (...images) =>
      images.reduce((sum, each) => each === entry ? sum : sum - each.pixels, this.options.shownPixels);
    const playing = Array.from(this.playing, ({ moving }) => moving);
    const all = room(...this.entries.values(), ...this.evicted, ...playing);
    if (all >= wanted) return all;
    const shown = this.shown();
    this.evicted.forEach(each => each.isLoading || shown.has(each.url) || this.evicted.delete(each));
    const entries = Array.from(this.entries.values()).filter(each => each.isLoading || shown.has(each.url) || this.isNeeded(each));
    return room(...entries, ...this.evicted, ...playing);
  }

  /** Reserves room for the frames of an animation. */
  reserve(entry) {
    entry.moving = { pixels: entry.frames };
    entry.missing = undefined;
    this.playing.add(entry);
  }

  /** Releases the frames of an animation. */
  rest(entry) {
    const { moving } = entry;
    if (!moving || !moving.url || this.isNeeded(moving)) return;
    if (!moving.isReleased) this.discard(moving, entry);
    this.playing.delete(entry);
    Object.assign(entry, { moving: undefined, missing: entry.frames });
  }

  /**
   * Shows the first frame of an animation, whose frames have at most `pixels`. Returns whether they are converted, too: if it is
   * visible, and there is room.
   */
  plays(first, pixels, entry) {
    if (!entry.url) this.fill(entry, first);
    if (!entry.moving) entry.frames = entry.missing = pixels;
    entry.watchers.forEach(watch => watch(entry.url));
    const isVisibleNow = entry.users.some(user => user.isConnected && isVisible(user));
    if (isVisibleNow && entry.missing <= this.roomFor(entry, pixels)) this.reserve(entry);
    return !!entry.moving;
  }

  /**
   * Maps the pixels of a file to the most pixels of the result. An image that exceeds the room gets a half of it, but not fewer
   * than the screen shows: the sides of the file are divided by an integer. 2 % are for rounding.
   */
  mostPixels(pixels, entry) {
    if (entry.moving) return pixels;
    const room = this.roomFor(entry, pixels);
    entry.missing = pixels > room ? pixels : undefined;
    const divisor = Math.floor(Math.sqrt(pixels / Math.max(...entry.users.map(screenPixels))));
    const most = entry.missing ? Math.min(pixels, Math.max(room / 2, 1.02 * pixels / divisor ** 2)) : room;
    entry.pixels = Math.min(pixels, most);
    return most;
  }

  fill(entry, image) {
    entry.url = urlOf(image);
    entry.size = sizeOf(image);
    entry.pixels = entry.size / 4;
    this.bytes += entry.size;
  }

  async load(url, init, entry) {
    entry.isLoading = true;
    try {
      const image = await this.service.convert(url, init, this.options.interval, (part, isEmpty) => {
        if (!entry.watchers.length) return;
        const before = entry.part;
        entry.part = urlOf(part);
        this.sources.set(entry.part, url);
        entry.watchers.forEach(watch => watch(entry.part, isEmpty));
        release(before);
      }, () => entry.users.some(isVisible), pixels => this.mostPixels(pixels, entry),
      (first, pixels) => this.plays(first, pixels, entry));
      if (entry.moving) this.fill(entry.moving, image);
      else if (image) this.fill(entry, image);
      this.trim(entry);
      return entry;
    } catch (error) {
      if (entry.frames) { // it remains at the first one
        this.playing.delete(entry);
        return Object.assign(entry, { moving: undefined, missing: Infinity });
      }
      entry.hasFailed = true;
      entry.pixels = 0;
      if (error.kind === "moduleUnavailable" && !this.hasReported) {
        this.hasReported = true;
        report(error);
      }
      this.options.onError(error, url);
      throw error;
    } finally {
      entry.isLoading = false;
      Object.assign(entry, { watchers: [], users: [] });
      release(entry.part);
    }
  }

  trim(newest) {
    for (const entry of this.entries.values()) {
      if (this.bytes <= this.options.cacheBytes) return;
      const shown = entry.moving || entry;
      if (entry === newest || !shown.url || shown.isReleased || this.isNeeded(shown)) continue;
      if (entry.moving) this.discard(shown, entry); // the images that show it have its data
      else this.evict(entry);
    }
  }

  evict(entry) {
    this.entries.delete(entry.key);
    this.evicted.add(entry);
    this.discard(entry, entry);
  }

  /** Releases the URL of an entry's image, or of its frames. */
  discard(image, { address }) {
    image.isReleased = true;
    this.bytes -= image.size;
    this.sources.set(image.url, address);
    release(image.url);
  }

  /** Returns whether a rule, a `style` attribute, or an icon uses an entry: the browser may load these images again. */
  isNeeded({ url }) {
    return this.pinned.has(url) || document.querySelector(`[style*="${url}"], link[href="${url}"]`);
  }

  /** Releases everything that is not shown. */
  clear() {
    const shown = this.shown();
    this.entries.forEach(entry => {
      release(entry.part, 0);
      if (!shown.has(entry.url) && !this.isNeeded(entry)) release(entry.url, 0);
    });
  }
}
