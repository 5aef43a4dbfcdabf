// WebP for whoever has it not: pages, workers, Node. The polyfill is in the lower half.

import "./pure-webp-core.js";

const core = (typeof globalThis === "object" ? globalThis : self).PureWebPCore;
core.base = new URL(".", import.meta.url).href;

export const WebPError = core.WebPError;

// MARK: Decoding

/** The picture as ImageData; where there is none (Node), an object with the same properties. */
function imageData({ width, height, data }) {
  return typeof ImageData === "function" ? new ImageData(data, width, height) : { width, height, data };
}

/** Decodes a file; of an animation, the first frame. */
export async function decode(bytes) {
  const codec = await core.load();
  return imageData(codec.decode(core.bytesOf(bytes)));
}

/** Decodes a response while its bytes come. `onRows` is told of finished rows; of an animation's, of all at the end. */
export async function decodeStream(response, { canvas, onRows } = {}) {
  const reader = core.readerOf(response);
  const waiting = [];
  let codec;
  let isAnimated;
  let stream;
  let shown = 0;
  const give = ({ width, height }, data, y = 0, rows = height) => {
    if (canvas) {
      if (!y) Object.assign(canvas, { width, height });
      canvas.getContext("2d").putImageData(new ImageData(data, width, rows), 0, y);
    }
    if (onRows) onRows({ width, height, y, rows, data });
  };
  const show = () => {
    const { rows } = stream;
    const from = shown;
    if (rows <= from) return;
    shown = rows;
    give(stream, stream.copy(from, rows), from, rows - from);
  };
  const read = async () => {
    for (;;) {
      let { done, value } = await reader.read();
      if (done) return;
      if (!stream) {
        waiting.push(value);
        // Before the decoder is there, bytes are read all the same: the connection may be the one that it waits for.
        if (isAnimated || !codec) continue;
        value = core.joined(waiting);
        isAnimated = core.isAnimated(value);
        if (isAnimated !== false) continue;
        stream = codec.stream();
      }
      stream.append(value);
      show();
    }
  };
  try {
    await Promise.all([core.load().then(it => { codec = it; }), read()]);
    if (!stream) {
      const image = imageData(codec.decode(core.joined(waiting)));
      give(image, image.data);
      return image;
    }
    stream.finish();
    show();
    return imageData(stream.image());
  } finally {
    reader.cancel().catch(() => {}); // what follows an error is not downloaded
    if (stream) stream.close();
  }
}

/** The frames of an animation, each as a whole picture. */
export class WebPAnimation {
  static async open(bytes) {
    return new WebPAnimation((await core.load()).animation(core.bytesOf(bytes)));
  }

  constructor(session) {
    this.session = session;
    for (const name of ["width", "height", "frameCount", "loopCount"]) this[name] = session[name];
  }

  /** The next frame, or null behind the last one. */
  next() {
    const frame = this.session.nextFrame();
    return frame && { index: frame.index, duration: frame.duration, image: imageData(frame) };
  }

  /** The frame at `index`; `next` goes on behind it. */
  frame(index) {
    this.session.seek(index);
    return this.next();
  }

  /** All frames, from the first one on. */
  *[Symbol.iterator]() {
    if (this.frameCount) this.session.seek(0);
    for (let frame = this.next(); frame; frame = this.next()) yield frame;
  }

  /** Gives the memory back. */
  close() {
    this.session.close();
  }
}

// MARK: The polyfill

/** Whether the browser shows a picture of one pixel as the polyfill would give it to images, by an object URL. */
function shows(sample) {
  if (typeof Image !== "function") return false;
  return new Promise(done => {
    const image = new Image();
    const bytes = Uint8Array.from(atob(sample), character => character.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: "image/webp" }));
    image.onload = image.onerror = () => {
      URL.revokeObjectURL(url);
      done(image.width === 1);
    };
    image.src = url;
  });
}

const gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

/** Whether the browser shows WebP: lossy, lossless, with alpha and animated. */
export async function isSupported() {
  const samples = [
    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
    "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
  ];
  return (await Promise.all(samples.map(shows))).every(Boolean);
}

/** The whole address, or null: what a page says may be none. */
function absolute(url, base = document.baseURI) {
  try {
    return new URL(url, base).href;
  } catch (error) {
    return null;
  }
}

/**
 * Shows WebP in a browser that does not, in `<img>` and CSS. Resolves to null where there is nothing to do, or nothing
 * that can be done, or to {stop()}.
 */
export async function polyfill(options = {}) {
  if (!options.force && await isSupported() || !await shows(gif)) return null;
  const {
    matches = core.isCalledWebP, fade = 200, interval = 150, cacheBytes = 1 << 26, idle = 10000, root = document,
  } = options;
  const page = new Page({ matches, fade, interval, cacheBytes, idle, root });
  page.start();
  return { stop: () => page.stop() };
}

/**
 * The decoder in a worker, which ends when it is idle: that gives its memory back. The files are fetched here, under
 * the page's policy, and handed on when the worker asks for them.
 */
class Service {
  constructor(idle) {
    this.idle = idle;
    this.jobs = new Map();
    this.last = 0;
  }

  /** The file as a PNG; `onPart` gets it as far as it has come, now and then. */
  convert(url, credentials, interval, onPart) {
    const id = ++this.last;
    const job = { id, interval, simd: core.simd };
    clearTimeout(this.timer);
    const source = new core.Source(url, credentials);
    return new Promise((resolve, reject) => {
      this.jobs.set(id, { job, source, resolve, reject, onPart });
      this.begin(job, source);
    });
  }

  begin(job, source) {
    if (this.worker === undefined) {
      try {
        this.worker = new Worker(core.base + "pure-webp-worker.js");
        this.worker.onmessage = event => this.receive(event.data);
        this.worker.onerror = () => this.withoutWorker();
      } catch (error) {
        this.worker = null;
      }
    }
    if (this.worker) this.worker.postMessage(job);
    else core.convert(job, source, message => this.receive(message));
  }

  /** Where the page's policy forbids workers: here. */
  withoutWorker() {
    this.end();
    this.worker = null;
    this.jobs.forEach(({ job, source }) => this.begin(job, source));
  }

  receive({ id, ask, part, done, error }) {
    const job = this.jobs.get(id);
    if (!job) return;
    if (ask) {
      const answer = job.source[ask]().then(piece => ({ id, piece }), ({ message }) => ({ id, message }));
      return answer.then(it => this.worker && this.worker.postMessage(it));
    }
    if (part) return job.onPart(part);
    this.jobs.delete(id);
    job.source.close();
    if (error) job.reject(error);
    else job.resolve(done);
    if (!this.jobs.size) this.timer = setTimeout(() => this.end(), this.idle);
  }

  stop() {
    this.jobs.forEach(({ source }) => source.close());
    this.jobs.clear();
    this.end();
  }

  end() {
    if (!this.worker) return;
    this.worker.terminate();
    this.worker = undefined;
  }
}

/** Lets an object URL go, after milliseconds: an image that is just about to load it must find it still. */
const release = (url, time) => url && setTimeout(() => URL.revokeObjectURL(url), time);

/** Converted pictures, by credentials and address. The oldest are let go, but for those that styles use. */
class Cache {
  constructor(service, options) {
    this.service = service;
    this.options = options;
    this.entries = new Map();
    this.bytes = 0;
    /** The addresses of pictures that had object URLs for some time: copies of images may have them still. */
    this.sources = new Map();
    /** What rules had or waited for when they were read, and what has come since. */
    this.pinned = new Set();
  }

  /**
   * An object URL of the whole picture. `onPart` gets those of its parts, and is images' alone: for them, what failed is
   * tried again.
   */
  get(url, credentials, onPart) {
    const key = credentials + url;
    let entry = this.entries.get(key);
    if (!entry || entry.hasFailed && onPart) {
      entry = { address: url, watchers: [] };
      entry.whole = this.load(url, credentials, entry);
      this.entries.set(key, entry);
    }
    if (onPart && !entry.url) entry.watchers.push(onPart);
    return entry.whole;
  }

  async load(url, credentials, entry) {
    try {
      const blob = await this.service.convert(url, credentials, this.options.interval, part => {
        if (!entry.watchers.length) return;
        const before = entry.part;
        entry.part = URL.createObjectURL(part);
        this.sources.set(entry.part, url);
        entry.watchers.forEach(watch => watch(entry.part));
        release(before, 1000);
      });
      entry.url = URL.createObjectURL(blob);
      entry.size = blob.size;
      this.bytes += blob.size;
      this.trim(entry);
      return entry.url;
    } catch (error) {
      entry.hasFailed = true;
      throw error;
    } finally {
      entry.watchers = [];
      release(entry.part, 1000);
    }
  }

  trim(newest) {
    for (const [key, entry] of this.entries) {
      if (this.bytes <= this.options.cacheBytes) return;
      if (entry === newest || !entry.url || this.isStyle(entry)) continue;
      this.entries.delete(key);
      this.bytes -= entry.size;
      this.sources.set(entry.url, entry.address);
      release(entry.url, 5000);
    }
  }

  /** Whether a rule has it, or the `style` of an element that is there. */
  isStyle({ url }) {
    return this.pinned.has(url) || document.querySelector(`[style*="${url}"]`);
  }

  /** Lets go what is not shown. */
  clear(shown) {
    this.entries.forEach(entry => {
      release(entry.part);
      if (!shown.has(entry.url) && !this.isStyle(entry)) release(entry.url);
    });
  }
}

const credentialsOf = image => image.crossOrigin === "use-credentials" ? "include" : "same-origin";

/** Of properties that may have pictures. */
const shorthands = ["background", "border-image", "list-style", "mask", "-webkit-mask"];

/** What is done to a document. */
class Page {
  constructor(options) {
    this.options = options;
    this.service = new Service(options.idle);
    this.cache = new Cache(this.service, options);
    this.images = new WeakMap();
    this.media = new Map();
    /** Rules without pictures, and how many properties they had. */
    this.plain = new WeakMap();
    this.onmedia = () => {
      this.scanSheets();
      this.onresize();
    };
    this.onheard = event => this.heard(event);
    this.onresize = () => {
      clearTimeout(this.resizing);
      this.resizing = setTimeout(() => this.reselect(), 200);
    };
  }

  start() {
    const { root } = this.options;
    document.addEventListener("load", this.onheard, true); // load events do not pass through the window
    addEventListener("error", this.onheard, true);
    addEventListener("resize", this.onresize);
    this.observer = new MutationObserver(records => this.changed(records));
    this.observer.observe(root, {
      childList: true, subtree: true, attributes: true,
      attributeFilter: ["src", "srcset", "sizes", "style", "class", "id", "media"],
    });
    this.scan(root);
    this.scanSheets();
  }

  stop() {
    document.removeEventListener("load", this.onheard, true);
    removeEventListener("error", this.onheard, true);
    removeEventListener("resize", this.onresize);
    this.observer.disconnect();
    this.media.forEach(query => query.removeListener(this.onmedia));
    if (this.lazy) this.lazy.disconnect();
    clearTimeout(this.resizing);
    clearTimeout(this.pending);
    this.service.stop();
    // What is shown remains; what is still coming is the browser's again.
    const shown = new Set();
    document.querySelectorAll("img").forEach(image => {
      const state = this.images.get(image);
      if (state && !state.isDone) this.leave(image, state);
      shown.add(image.currentSrc || image.src);
    });
    this.images = new WeakMap();
    this.cache.clear(shown);
  }

  scan(node) {
    if (node.tagName === "IMG") this.consider(node);
    if (node.style) this.restyle(node.style);
    if (node.querySelectorAll) {
      node.querySelectorAll("img").forEach(image => this.consider(image));
      node.querySelectorAll("[style]").forEach(element => this.restyle(element.style));
    }
  }

  changed(records) {
    let sheets = false;
    for (const { type, target, attributeName, addedNodes } of records) {
      const holder = target.tagName === "SOURCE" && target.parentNode || target;
      // Sources that come, go, or are for other media.
      if (target.tagName === "PICTURE" || attributeName === "media") this.reselect(holder.querySelectorAll("img"));
      if (attributeName === "style") {
        this.restyle(target.style);
      } else if (/class|id|media/.test(attributeName)) {
        sheets = true;
      } else if (type === "attributes") {
        const image = holder.querySelector("img") || target;
        if (image.tagName === "IMG") this.consider(image);
      } else {
        sheets = sheets || target.tagName === "STYLE" || Array.from(addedNodes).some(node => node.tagName);
        addedNodes.forEach(node => this.scan(node));
      }
    }
    if (sheets && !this.pending) {
      this.pending = setTimeout(() => {
        this.pending = 0;
        this.scanSheets();
      }, 50);
    }
  }

  // Images

  /** Looks at what the browser has selected for an image, after it has. */
  consider(image) {
    const before = this.images.get(image);
    // What the page has changed is to show something else.
    const isChanged = before && !before.holds(image);
    if (isChanged) this.images.delete(image);
    else if (before && before.own) return before.hasSizes(image) || this.onresize();
    if (image.loading === "lazy" && !this.isNear(image)) return;
    Promise.resolve().then(() => {
      const state = this.images.get(image);
      // It may not tell yet which candidate, or may tell of the picture before; then there will be an event.
      const given = image.currentSrc || (image.matches("[srcset], picture > img") ? "" : image.src);
      const source = this.cache.sources.get(given);
      const address = source || given;
      if (!address || isChanged && address === before.address) return;
      if (state && state.hasFailed && state.address === address) return;
      if (source || this.options.matches(address)) this.show(image, address);
      else if (image.complete && !image.naturalWidth) this.sniff(image, address);
    });
  }

  isNear(image) {
    if (typeof IntersectionObserver !== "function") return true;
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

  /** `unheard` is the event of the browser's own attempt, if the page has not been let hear it. */
  async show(image, address, unheard) {
    const before = this.images.get(image);
    if (before && before.address === address && !before.isDone) return;
    const state = before && before.own ? before.next(address) : new ImageState(image, address);
    state.gather(image);
    state.unheard = unheard;
    this.images.set(image, state);
    state.sources.forEach(([source]) => source.media && this.applies({ mediaText: source.media }));
    const isCurrent = () => this.images.get(image) === state;
    const set = url => {
      const isFirst = !state.own; // and fades in, unless the user wants less motion
      state.set(image, url);
      if (isFirst && this.options.fade && image.animate && !matchMedia("(prefers-reduced-motion)").matches) {
        image.animate([{ opacity: 0 }, { opacity: getComputedStyle(image).opacity }], this.options.fade);
      }
    };
    try {
      const url = await this.cache.get(address, credentialsOf(image), part => {
        if (isCurrent()) set(part);
      });
      if (!isCurrent()) return;
      state.isDone = true;
      set(url);
    } catch (error) {
      if (isCurrent()) this.leave(image, state);
    }
  }

  /** What cannot be shown is the browser's again, which tells the page: anew, if the image has been changed. */
  leave(image, state) {
    state.isDone = state.hasFailed = true;
    if (state.own) state.restore(image);
    else if (state.unheard) image.dispatchEvent(new Event(state.unheard));
  }

  /** A picture that the browser could not show: WebP by another name? */
  async sniff(image, address, unheard) {
    const state = new ImageState(image, address);
    this.images.set(image, state);
    state.unheard = unheard;
    state.hasFailed = true;
    const isWebP = await core.isWebPAt(address, credentialsOf(image));
    if (this.images.get(image) !== state) return;
    if (!isWebP) return this.leave(image, state);
    this.images.delete(image);
    this.show(image, address, state.unheard);
  }

  /** The page hears of the whole picture alone, and of errors once nothing can be done about them. */
  heard(event) {
    const { target: image, type } = event;
    if (/LINK|STYLE/.test(image.tagName)) this.scanSheets(); // and what they import is there
    if (image.tagName !== "IMG" || !this.options.root.contains(image)) return;
    const state = this.images.get(image);
    const given = image.currentSrc || image.src;
    const source = this.cache.sources.get(given);
    const address = source || given;
    const isOurs = source || this.options.matches(address);
    // Of another picture, it may be of a source that came meanwhile.
    if (state && !state.isDone && (type === "load" || state.address === address)) {
      state.unheard = type;
    } else {
      if (type === "load" ? state || !isOurs : state && state.hasFailed && state.address === address) return;
      if (!address) return;
      if (isOurs) this.show(image, address, type);
      else this.sniff(image, address, type);
    }
    event.stopImmediatePropagation();
  }

  /** After the window, the media or sources have changed: does the browser select another candidate? Copies are asked. */
  reselect(images = document.querySelectorAll("img")) {
    images.forEach(image => {
      const state = this.images.get(image);
      if (!state || state.isDone && !state.own || !state.gather(image)) return;
      const copy = state.copy();
      copy.onload = copy.onerror = () => {
        const address = copy.currentSrc;
        if (this.images.get(image) !== state || address === state.address) return;
        if (this.options.matches(address)) return this.show(image, address);
        this.images.delete(image);
        state.restore(image);
      };
    });
  }

  // Style sheets

  scanSheets() {
    this.cache.pinned.clear();
    Array.from(document.styleSheets).forEach(sheet => this.scanSheet(sheet));
  }

  scanSheet(sheet, base, isOn = true) {
    try {
      this.scanRules(sheet.cssRules, sheet.href || base, isOn && this.applies(sheet.media));
    } catch (error) {
      // Of another origin, without CORS.
    }
  }

  /** `isOn` says whether they are for the page's media; what others have is kept. */
  scanRules(rules, base, isOn) {
    for (const rule of Array.from(rules || [])) {
      const applies = isOn && (!rule.media || this.applies(rule.media));
      if (rule.styleSheet) this.scanSheet(rule.styleSheet, base, applies);
      else if (rule.cssRules && rule.cssRules.length) this.scanRules(rule.cssRules, base, applies);
      const { style } = rule;
      if (!style || this.plain.get(rule) === style.length) continue;
      const text = style.cssText;
      if (!text.includes("url(")) this.plain.set(rule, style.length);
      text.replace(/blob:[^")]+/g, url => this.cache.pinned.add(url));
      if (applies && this.isUsed(rule.selectorText)) this.restyle(style, base);
    }
  }

  /** Whether what is for these media is for the page's. When that changes, all that depends on it is looked at again. */
  applies({ mediaText }) {
    let query = this.media.get(mediaText);
    if (!query) {
      this.media.set(mediaText, query = matchMedia(mediaText));
      query.addListener(this.onmedia);
    }
    return query.matches;
  }

  /** Whether an element is there that a rule may be for, but for states and attributes, which change unseen, and &. */
  isUsed(selector) {
    const changing = /\\.|\[[^\]]*\]|::?[\w-]+(\([^)]*\))?|&/g;
    const lasting = (selector || "").replace(changing, part => part[0] === "\\" ? part : "");
    try {
      return !!document.querySelector(lasting.trim() || "*");
    } catch (error) {
      return true;
    }
  }

  restyle(style, base) {
    // Where there is var() in a shorthand, it alone has text; otherwise what it stands for has been replaced before it.
    for (const name of Array.from(style).concat(shorthands)) {
      const value = style.getPropertyValue(name);
      if (!value.includes("url(") || name.startsWith("--")) continue;
      const found = [];
      value.replace(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^()\s]+))\s*\)/g, (whole, a, b, c) => {
        const given = absolute(a || b || c || "", base);
        const source = this.cache.sources.get(given); // of what was let go while its element was not there
        if (source || given && this.options.matches(given)) found.push([whole, source || given]);
        return whole;
      });
      if (!found.length) continue;
      const pictures = found.map(([whole, address]) =>
        this.cache.get(address, "same-origin").then(url => {
          this.cache.pinned.add(url); // while it waits for others; rules that are read do so again
          return [whole, `url("${url}")`];
        }, () => [whole, whole]));
      Promise.all(pictures).then(pairs => {
        if (style.getPropertyValue(name) !== value) return;
        const replaced = pairs.reduce((text, [whole, ours]) => text.split(whole).join(ours), value);
        if (replaced !== value) style.setProperty(name, replaced, style.getPropertyPriority(name));
      });
    }
  }
}

/** Sets attributes, and removes those that are null. */
function put(element, attributes) {
  for (const name of Object.keys(attributes)) {
    if (attributes[name] === null) element.removeAttribute(name);
    else element.setAttribute(name, attributes[name]);
  }
}

/** What an image was before it was given an object URL, and what it is meant to show. */
class ImageState {
  constructor(image, address) {
    this.address = address;
    this.selected = image.currentSrc || image.src;
    this.original = {};
    for (const name of ["sizes", "srcset", "src"]) this.original[name] = image.getAttribute(name);
    this.isDone = this.hasFailed = false;
    /** What it was given. */
    this.own = undefined;
  }

  /** The same image, with another candidate selected. */
  next(address) {
    const state = Object.assign(Object.create(ImageState.prototype), this);
    return Object.assign(state, { address, selected: address, isDone: false, hasFailed: false });
  }

  /**
   * Finds the sources there are now, with what they have, or had before it was taken from them: pages put in others, and
   * change them. Whether there is something to select, or was.
   */
  gather(image) {
    const before = new Map(this.sources);
    const sources = image.matches("picture > img") ? image.parentNode.querySelectorAll("source") : [];
    this.sources = Array.from(sources, source => [source, source.getAttribute("srcset") || before.get(source) || null]);
    if (!this.hasSizes(image)) this.original.sizes = image.getAttribute("sizes");
    return this.original.srcset !== null || before.size + this.sources.length > 0;
  }

  /** Whether its sizes are those it had: beside sources they are ours, otherwise scripts may change what they select. */
  hasSizes(image) {
    return this.sources.length > 0 || this.original.sizes === image.getAttribute("sizes");
  }

  /** Whether the image still has what it was given, or, before that, what the page gave it. */
  holds(image) {
    const given = this.own || this.original;
    return ["src", "srcset"].every(name => image.getAttribute(name) === given[name]);
  }

  /**
   * The selected candidate's descriptor, with which the browser finds its size on the page: 2x, 800w. Addresses end at
   * white space or with a comma behind them, descriptors at a comma outside of parentheses.
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
    // Beside a candidate for 2x, src would be one for 1x.
    this.own = descriptor ? { src: null, srcset: `${url} ${descriptor}` } : { src: url, srcset: null };
    const chosen = descriptor && this.sources.find(([, srcset]) => srcset === text);
    // Each source has its own, or the default; without sources, what scripts make of it meanwhile remains.
    const sizes = chosen ? chosen[0].getAttribute("sizes") : this.original.sizes;
    this.sources.forEach(([source]) => source.removeAttribute("srcset"));
    put(image, Object.assign(this.sources.length ? { sizes } : {}, this.own));
  }

  restore(image) {
    this.own = undefined;
    this.sources.forEach(([source, srcset]) => put(source, { srcset }));
    put(image, this.original);
  }

  /** A copy of the image as it was, in a copy of its picture element, outside of the document. */
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
