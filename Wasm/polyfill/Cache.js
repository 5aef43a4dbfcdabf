import { report } from "./support.js";

/**
 * Releases an object URL after a second, because an image may be about to load it. Until then, the browser retains the
 * data. If an image loads the URL later, that fails, and the image is converted again.
 */
const release = (url, time = 1000) => url && setTimeout(() => URL.revokeObjectURL(url), time);

/** Returns an object URL of a blob. A data URL, which needs none, is returned unchanged. */
const urlOf = image => typeof image === "string" ? image : URL.createObjectURL(image);

/** Converted images, by credentials and address. The least recently used ones are evicted, except images of styles. */
export class Cache {
  constructor(service, options) {
    this.service = service;
    this.options = options;
    this.entries = new Map();
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
   * Resolves to an object URL of the complete image. Calls `onPart` with object URLs of incomplete images. Only `img`
   * elements pass `onPart`. For them, a failed conversion is tried again.
   */
  get(url, credentials, onPart) {
    const key = credentials + url;
    let entry = this.entries.get(key);
    if (!entry || entry.hasFailed && onPart) {
      entry = { address: url, watchers: [] };
      entry.complete = this.load(url, credentials, entry);
    }
    this.entries.delete(key);
    this.entries.set(key, entry); // the last one
    if (onPart && !entry.url) entry.watchers.push(onPart);
    return entry.complete;
  }

  async load(url, credentials, entry) {
    try {
      const image = await this.service.convert(url, credentials, this.options.interval, (part, isEmpty) => {
        if (!entry.watchers.length) return;
        const before = entry.part;
        entry.part = urlOf(part);
        this.sources.set(entry.part, url);
        entry.watchers.forEach(watch => watch(entry.part, isEmpty));
        release(before);
      });
      entry.url = urlOf(image);
      entry.size = image.size || image.length;
      this.bytes += entry.size;
      this.trim(entry);
      return entry.url;
    } catch (error) {
      entry.hasFailed = true;
      if (error.kind === "moduleUnavailable" && !this.hasReported) {
        this.hasReported = true;
        report(error);
      }
      this.options.onError(error, url);
      throw error;
    } finally {
      entry.watchers = [];
      release(entry.part);
    }
  }

  trim(newest) {
    for (const [key, entry] of this.entries) {
      if (this.bytes <= this.options.cacheBytes) return;
      if (entry === newest || !entry.url || this.isNeeded(entry)) continue;
      this.entries.delete(key);
      this.bytes -= entry.size;
      this.sources.set(entry.url, entry.address);
      release(entry.url);
    }
  }

  /** Returns whether a rule, a `style` attribute, or an icon uses an entry: the browser may load these images again. */
  isNeeded({ url }) {
    return this.pinned.has(url) || document.querySelector(`[style*="${url}"], link[href="${url}"]`);
  }

  /** Releases everything that is not shown. */
  clear(shown) {
    this.entries.forEach(entry => {
      release(entry.part, 0);
      if (!shown.has(entry.url) && !this.isNeeded(entry)) release(entry.url, 0);
    });
  }
}
