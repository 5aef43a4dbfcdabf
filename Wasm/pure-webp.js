// The ES module for pages, workers and Node: decoding, and in the lower half the polyfill.

import "./pure-webp-core.js";

const core = (typeof globalThis === "object" ? globalThis : self).PureWebPCore;

/**
 * The addresses of the other files, each as a literal that bundlers recognize. They are evaluated when they are needed:
 * in a bundle, a frame with `srcdoc` or a worker from a blob, a script may have no address that others are relative to.
 */
const files = {
  simd: () => new URL("./pure-webp-simd.wasm", import.meta.url),
  plain: () => new URL("./pure-webp.wasm", import.meta.url),
  worker: () => new URL("./pure-webp-worker.js", import.meta.url),
};
core.locate = simd => (simd ? files.simd() : files.plain()).href;

export const WebPError = core.WebPError;

/** Replaces the addresses of the decoder's module, or hands in a compiled one, and of the polyfill's worker. */
export function configure({ wasm, worker }) {
  if (wasm !== undefined) core.wasm = wasm.href || wasm;
  if (worker !== undefined) files.worker = () => worker;
}

// MARK: Decoding

/** Makes an ImageData; in Node, which has none, an object with the same properties. */
function imageData({ width, height, data }) {
  return typeof ImageData === "function" ? new ImageData(data, width, height) : { width, height, data };
}

/** Decodes a file; of an animation, the first frame. */
export async function decode(bytes) {
  const codec = await core.load();
  return imageData(codec.decode(core.bytesOf(bytes)));
}

/** Converts a file to a PNG, an animation to an animated PNG. */
export async function toPNG(bytes) {
  return core.pngOf(core.bytesOf(bytes));
}

/** Decodes a response while its bytes arrive. `onRows` gets finished rows; of an animation, all of them at the end. */
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
        // Bytes are also read before the decoder is available: its module may wait for this connection.
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
    reader.cancel().catch(() => {}); // after an error, the rest is not downloaded
    if (stream) stream.close();
  }
}

/** The frames of an animation, each as a complete canvas. */
export class WebPAnimation {
  static async open(bytes) {
    return new WebPAnimation((await core.load()).animation(core.bytesOf(bytes)));
  }

  constructor(session) {
    this.session = session;
    for (const name of ["width", "height", "frameCount", "loopCount"]) this[name] = session[name];
  }

  /** Returns the next frame, or null after the last one. */
  next() {
    const frame = this.session.nextFrame();
    return frame && { index: frame.index, duration: frame.duration, image: imageData(frame) };
  }

  /** Returns the frame at `index`; `next` continues after it. */
  frame(index) {
    this.session.seek(index);
    return this.next();
  }

  /** Iterates over all frames. */
  *[Symbol.iterator]() {
    if (this.frameCount) this.session.seek(0);
    for (let frame = this.next(); frame; frame = this.next()) yield frame;
  }

  /** Releases the memory. */
  close() {
    this.session.close();
  }
}

// MARK: The polyfill

/** Whether the browser shows an image of one pixel by an object URL, as the polyfill would have it. */
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

/** Returns the absolute address, or null: a page may contain invalid ones. */
function absolute(url, base = document.baseURI) {
  try {
    return new URL(url, base).href;
  } catch (error) {
    return null;
  }
}

const unavailable = message => new WebPError("moduleUnavailable", message, -1, 1);

/** The reason why nothing can be converted here, or undefined. */
async function obstacle() {
  if (typeof WebAssembly !== "object") return unavailable("the browser has no WebAssembly");
  try {
    // The empty module. WebKit applies the policy to its instance.
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  } catch (error) {
    return unavailable("the page's policy needs script-src 'wasm-unsafe-eval': " + error.message);
  }
  if (!await shows(gif)) return unavailable("the page's policy needs img-src blob:");
}

const defaults = { matches: core.isCalledWebP, fade: 200, interval: 150, cacheBytes: 1 << 24, idle: 10000, onError() {} };

/** Returns the options with the defaults in place of undefined ones. */
function completed(options) {
  const all = Object.assign({ root: document }, defaults);
  for (const name of Object.keys(options)) if (options[name] !== undefined) all[name] = options[name];
  return all;
}

/** The page that is watched, or one that only `polyfillImage` uses. */
let active;

/**
 * Shows WebP in a browser that does not. Resolves to {status, error, stop()}; the status is "active", "unneeded" or
 * "failed".
 */
export async function polyfill(options = {}) {
  const head = typeof PureWebPHead === "object" ? PureWebPHead : undefined;
  const result = { status: "unneeded", error: null, stop() {} };
  if (typeof document === "object" && (options.force || !await isSupported())) {
    const all = completed(options);
    result.error = await obstacle() || null;
    result.status = result.error ? "failed" : "active";
    if (result.error) {
      report(result.error);
      all.onError(result.error);
    } else {
      const page = active = new Page(all);
      page.start();
      if (head) head.take(page.onheard).forEach(image => page.hear(image, "error"));
      result.stop = () => page.stop();
    }
  }
  if (head && result.status !== "active") head.release();
  return result;
}

/**
 * Shows one image, without watching the page. Resolves to whether it was converted: not in a browser that shows WebP,
 * unless `force` is set. Rejects if the image cannot be decoded.
 */
export async function polyfillImage(image, options = {}) {
  if (!options.force && await isSupported()) return false;
  const error = await obstacle();
  if (error) throw error;
  active = active || new Page(completed(options));
  const address = image.currentSrc || image.src;
  await active.show(image, active.cache.sources.get(address) || address);
  const { failure } = active.images.get(image) || {};
  if (failure) throw failure;
  return true;
}

/** One line on the console, for a page on which nothing can be shown. */
const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);

/**
 * The decoder in a worker, which ends when it is idle: that releases its memory. The page fetches the files, under its
 * own policy, and passes them on when the worker asks.
 */
class Service {
  constructor(idle) {
    this.idle = idle;
    this.jobs = new Map();
    this.last = 0;
  }

  /** Converts a file to a PNG. From time to time `onPart` gets an image of the rows that are finished. */
  convert(url, credentials, interval, onPart) {
    const id = ++this.last;
    clearTimeout(this.timer);
    const source = new core.Source(url, credentials);
    return new Promise((resolve, reject) => {
      const job = { id, interval, wasm: core.source() };
      this.jobs.set(id, { job, source, resolve, reject, onPart });
      this.begin(job, source);
    });
  }

  begin(job, source) {
    if (this.worker === undefined) {
      try {
        this.worker = this.create();
        this.worker.onmessage = event => this.receive(event.data);
        this.worker.onerror = () => this.withoutWorker();
      } catch (error) {
        this.worker = null;
      }
    }
    if (this.worker) this.worker.postMessage(job);
    else core.convert(job, source, message => this.receive(message));
  }

  /** A worker has to be of the page's origin: from another one, a blob of this origin imports it. */
  create() {
    const { href, origin } = new URL(files.worker(), document.baseURI);
    if (origin === self.origin) return new Worker(href);
    const script = new Blob([`importScripts(${JSON.stringify(href)})`], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  }

  /** Continues in the page, if its policy forbids workers. */
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
    const { kind, message, offset, status } = error || {};
    if (!error) job.resolve(done);
    else job.reject(kind ? new WebPError(kind, message, offset, status) : new Error(message));
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

/** Releases an object URL after some milliseconds: an image that is about to load it must still find it. */
const release = (url, time) => url && setTimeout(() => URL.revokeObjectURL(url), time);

/** Converted images, by credentials and address. The oldest are evicted, except those that styles use. */
class Cache {
  constructor(service, options) {
    this.service = service;
    this.options = options;
    this.entries = new Map();
    this.bytes = 0;
    /** The addresses of images whose object URLs were released: copies of elements may still contain these. */
    this.sources = new Map();
    /** The object URLs in rules, as of the last scan, and those that were added since. */
    this.pinned = new Set();
  }

  /**
   * Returns an object URL of the complete image. `onPart` gets those of its parts. Only images pass it; for them, a file
   * that could not be converted is tried again.
   */
  get(url, credentials, onPart) {
    const key = credentials + url;
    let entry = this.entries.get(key);
    if (!entry || entry.hasFailed && onPart) {
      entry = { address: url, watchers: [] };
      entry.complete = this.load(url, credentials, entry);
      this.entries.set(key, entry);
    }
    if (onPart && !entry.url) entry.watchers.push(onPart);
    return entry.complete;
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
      if (error.kind === "moduleUnavailable" && !this.hasReported) {
        this.hasReported = true;
        report(error);
      }
      this.options.onError(error, url);
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

  /** Whether a rule contains it, or the `style` attribute of an element in the document. */
  isStyle({ url }) {
    return this.pinned.has(url) || document.querySelector(`[style*="${url}"]`);
  }

  /** Releases everything that is not shown. */
  clear(shown) {
    this.entries.forEach(entry => {
      release(entry.part);
      if (!shown.has(entry.url) && !this.isStyle(entry)) release(entry.url);
    });
  }
}

const credentialsOf = image => image.crossOrigin === "use-credentials" ? "include" : "same-origin";

/** Properties that may contain images. */
const shorthands = ["background", "border-image", "list-style", "mask", "-webkit-mask"];

/** Matches the names of properties that may contain images. */
const mayHaveImage = /^--|image|content$|cursor|mask|background|list-style|filter|clip-path|shape/;

/** The attributes by which other elements than `img` show images, by local name, which may be `constructor`. */
const attributes = {
  __proto__: null, input: ["src"], video: ["poster"], image: ["href", "xlink:href"], object: ["data"], embed: ["src"],
  iframe: ["src"], link: ["href"],
};

/** A document that is watched, with the shadow trees in it. */
class Page {
  constructor(options) {
    this.options = options;
    this.service = new Service(options.idle);
    this.cache = new Cache(this.service, options);
    this.images = new WeakMap();
    /** Events of lazy images that the page hears once they are near. */
    this.deferred = new WeakMap();
    this.media = new Map();
    /** Rules without images, and how many properties they had. */
    this.plain = new WeakMap();
    /** Shadow trees by host, and those of hosts in the document. */
    this.shadows = new WeakMap();
    this.roots = new Set();
    /** The duration of the last scan of the style sheets, in milliseconds. */
    this.scanTime = 0;
    this.onmedia = () => {
      this.scanSheets();
      this.onresize();
    };
    this.onheard = event => {
      if (this.hear(event.target, event.type)) event.stopImmediatePropagation();
    };
    this.onresize = () => {
      clearTimeout(this.resizing);
      this.resizing = setTimeout(() => this.reselect(), 200);
    };
  }

  start() {
    const { root } = this.options;
    document.addEventListener("load", this.onheard, true); // load events do not reach the window
    addEventListener("error", this.onheard, true);
    addEventListener("resize", this.onresize);
    this.observer = new MutationObserver(records => this.changed(records));
    this.observe(root);
    this.patch();
    this.scan(root);
    this.adoptAll(root);
    this.scanSheets();
  }

  observe(root) {
    this.observer.observe(root, {
      childList: true, subtree: true, attributes: true,
      attributeFilter: ["src", "srcset", "sizes", "style", "class", "id", "media", "poster", "href", "data"],
    });
  }

  /** Wraps the functions whose effects are not reported: images outside of the document, shadow trees, rules. */
  patch() {
    const page = this;
    const undo = this.undo = [];
    const wrap = (owner, name, make) => {
      const own = owner && owner[name];
      if (!own) return;
      owner[name] = make(own);
      undo.push(() => { owner[name] = own; });
    };
    wrap(window, "Image", Image => {
      function Wrapped(...size) {
        const image = Reflect.construct(Image, size, new.target || Image);
        image.addEventListener("error", page.onheard);
        image.addEventListener("load", page.onheard);
        return image;
      }
      Wrapped.prototype = Image.prototype;
      return Wrapped;
    });
    wrap(Element.prototype, "attachShadow", attach => function (...values) {
      const root = attach.apply(this, values);
      page.adopt(root);
      return root;
    });
    for (const name of ["insertRule", "replace", "replaceSync"]) {
      wrap(CSSStyleSheet.prototype, name, change => function (...values) {
        page.scanSheetsSoon();
        return change.apply(this, values);
      });
    }
  }

  /** Watches the shadow trees of the elements that are there. */
  adoptAll(root) {
    root.querySelectorAll("*").forEach(element => this.adopt(element.shadowRoot));
  }

  /** Watches a shadow tree. Its events do not leave it. */
  adopt(root) {
    if (!root || this.shadows.has(root.host)) return;
    this.shadows.set(root.host, root);
    this.roots.add(root);
    root.addEventListener("load", this.onheard, true);
    root.addEventListener("error", this.onheard, true);
    this.undo.push(() => {
      root.removeEventListener("load", this.onheard, true);
      root.removeEventListener("error", this.onheard, true);
    });
    this.observe(root);
    this.adoptAll(root);
    this.scan(root);
    this.scanSheetsSoon();
  }

  stop() {
    document.removeEventListener("load", this.onheard, true);
    removeEventListener("error", this.onheard, true);
    removeEventListener("resize", this.onresize);
    this.undo.forEach(undo => undo());
    this.observer.disconnect();
    this.media.forEach(query => query.removeListener(this.onmedia));
    if (this.lazy) this.lazy.disconnect();
    clearTimeout(this.resizing);
    clearTimeout(this.pending);
    this.service.stop();
    if (active === this) active = undefined;
    // Complete images remain; the others get their own attributes back.
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
    this.visit(node);
    if (!node.querySelectorAll) return;
    node.querySelectorAll("img, input, video, image, object, embed, iframe, link, [style]").forEach(
      element => this.visit(element));
  }

  visit(element) {
    const name = element.localName;
    if (name === "img") this.consider(element);
    if (attributes[name]) attributes[name].forEach(attribute => this.replaceAttribute(element, attribute));
    this.restyleElement(element);
    // A shadow tree whose host was outside of the document.
    if (this.shadows.has(element)) this.roots.add(this.shadows.get(element));
  }

  changed(records) {
    let sheets = false;
    const styled = new Set();
    for (const { type, target, attributeName, addedNodes } of records) {
      if (attributeName === "style") {
        styled.add(target);
        continue;
      }
      if (attributeName === "class" || attributeName === "id") {
        sheets = true;
        continue;
      }
      const holder = target.localName === "source" && target.parentNode || target;
      // The candidates of an image, or their media.
      if (target.localName === "picture" || attributeName === "media") this.reselect(holder.querySelectorAll("img"));
      if (attributeName === "media") {
        sheets = true;
      } else if (type === "attributes") {
        this.visit(holder.querySelector("img") || target);
      } else {
        sheets = sheets || target.localName === "style" || Array.from(addedNodes).some(node => node.localName);
        addedNodes.forEach(node => this.scan(node));
      }
    }
    styled.forEach(element => this.restyleElement(element));
    if (sheets) this.scanSheetsSoon();
  }

  // Images

  /** Checks the candidate that the browser has selected for an image, after it has. */
  consider(image) {
    const before = this.images.get(image);
    // After a change by the page, the image is to show something else.
    const isChanged = before && !before.holds(image);
    if (isChanged) this.images.delete(image);
    else if (before && before.own) return before.hasSizes(image) || this.onresize();
    if (!this.isNear(image)) return;
    Promise.resolve().then(() => {
      const state = this.images.get(image);
      // The browser may not have selected yet, or still report the image before; then an event follows.
      const given = image.currentSrc || (image.matches("[srcset], picture > img") ? "" : image.src);
      const source = this.cache.sources.get(given);
      const address = source || given;
      const unheard = this.deferred.get(image);
      // In Chromium 69, a selection by `sizes` can fail without an event.
      if (!address && !image.complete) setTimeout(() => this.consider(image), 250);
      if (!address || isChanged && address === before.address) return;
      if (state && state.hasFailed && state.address === address) return;
      if (source || this.options.matches(address)) this.show(image, address, unheard);
      else if (image.complete && !image.naturalWidth) this.sniff(image, address, unheard);
    });
  }

  /** Whether an image is to be shown now. The attribute is read: browsers without WebP do not know lazy loading. */
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

  /** `unheard` is the event of the browser's own attempt, if the page has not heard it. */
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
      const isFirst = !state.own; // and fades in, unless the user prefers less motion
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
      state.failure = error;
      if (isCurrent()) this.leave(image, state);
    }
  }

  /** Restores an image that cannot be shown. The page hears of it: by a new event, if the image has been changed. */
  leave(image, state) {
    state.isDone = state.hasFailed = true;
    if (state.own) state.restore(image);
    else if (state.unheard) image.dispatchEvent(new Event(state.unheard));
  }

  /** Checks whether an image that the browser could not show is WebP by another name. */
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

  /**
   * Returns whether the page must not hear an event: it hears a `load` of the complete image, and an `error` once
   * nothing can be done about it.
   */
  hear(image, type) {
    if (/^(link|style)$/.test(image.localName)) this.scanSheets(); // imported sheets have been loaded, too
    if (image.localName !== "img" || image.isConnected && !this.isInside(image)) return false;
    const state = this.images.get(image);
    const given = image.currentSrc || image.src;
    const source = this.cache.sources.get(given);
    const address = source || given;
    const isOurs = source || this.options.matches(address);
    // An event of another image may be caused by a source that has changed meanwhile.
    if (state && !state.isDone && (type === "load" || state.address === address)) {
      state.unheard = type;
      return true;
    }
    if (type === "load" ? state || !isOurs : state && state.hasFailed && state.address === address) return false;
    if (!address) return false;
    if (image.isConnected && !this.isNear(image)) this.deferred.set(image, type);
    else if (isOurs) this.show(image, address, type);
    else this.sniff(image, address, type);
    return true;
  }

  isInside(element) {
    for (let root = element; root;) {
      if (this.options.root.contains(root)) return true;
      root = root.getRootNode().host;
    }
    return false;
  }

  /**
   * Checks, after the window, the media or sources have changed, whether the browser selects another candidate: that of a
   * copy. This includes images of other formats, because a browser reports no event if the candidate cannot be shown.
   */
  reselect(images = document.querySelectorAll("img")) {
    images.forEach(image => {
      const known = this.images.get(image);
      const state = known || new ImageState(image, image.currentSrc);
      if (known && known.isDone && !known.own || !state.gather(image)) return;
      if (!known && !this.hasWebP(state)) return;
      const copy = state.copy();
      copy.onload = copy.onerror = () => {
        const address = copy.currentSrc;
        if (this.images.get(image) !== known || address === state.address) return;
        if (this.options.matches(address)) return this.show(image, address);
        if (!known) return;
        this.images.delete(image);
        state.restore(image);
      };
    });
  }

  hasWebP({ original, sources }) {
    const texts = [original.srcset].concat(sources.map(([, srcset]) => srcset));
    return texts.some(text => (text || "").split(/[\s,]+/).some(part => this.options.matches(absolute(part) || "")));
  }

  // Other elements

  /** Replaces the address of an image in an attribute. */
  async replaceAttribute(element, name) {
    const text = element.getAttribute(name);
    if (!text || element.localName === "link" && !/\bicon\b/i.test(element.rel)) return;
    const given = absolute(text);
    const source = this.cache.sources.get(given);
    if (!source && !this.options.matches(given || "")) return;
    try {
      const url = await this.cache.get(source || given, "same-origin");
      if (element.getAttribute(name) !== text) return;
      if (element.type === "image/webp") element.type = "image/png";
      if (name === "poster") element.removeAttribute(name); // WebKit ignores the first poster after one that failed
      element.setAttribute(name, url);
    } catch (error) {
      // `onError` has been called.
    }
  }

  // Style sheets

  /** Scans the sheets later: once for many changes, and so that it takes at most a twentieth of the time. */
  scanSheetsSoon() {
    if (this.pending) return;
    this.pending = setTimeout(() => {
      this.pending = 0;
      this.scanSheets();
    }, Math.max(50, 20 * this.scanTime));
  }

  scanSheets() {
    const start = performance.now();
    this.cache.pinned.clear();
    for (const root of [document, ...this.roots]) {
      if (root.host && !root.host.isConnected) {
        this.roots.delete(root);
        continue;
      }
      const sheets = Array.from(root.styleSheets || []).concat(Array.from(root.adoptedStyleSheets || []));
      sheets.forEach(sheet => this.scanSheet(sheet, root));
    }
    this.scanTime = performance.now() - start;
  }

  scanSheet(sheet, root, base, isOn = true) {
    try {
      this.scanRules(sheet.cssRules, root, sheet.href || base, isOn && this.applies(sheet.media));
    } catch (error) {
      // Of another origin, without CORS.
    }
  }

  /** `isOn` is false for rules of other media, whose images are retained but not fetched. */
  scanRules(rules, root, base, isOn) {
    for (const rule of Array.from(rules || [])) {
      const applies = isOn && (!rule.media || this.applies(rule.media));
      if (rule.styleSheet) this.scanSheet(rule.styleSheet, root, base, applies);
      else if (rule.cssRules && rule.cssRules.length) this.scanRules(rule.cssRules, root, base, applies);
      const { style } = rule;
      if (!style || this.plain.get(rule) === style.length) continue;
      const text = style.cssText;
      if (!text.includes("url(")) this.plain.set(rule, style.length);
      text.replace(/blob:[^")]+/g, url => this.cache.pinned.add(url));
      if (applies && this.isUsed(rule.selectorText, root)) this.restyle(style, base);
    }
  }

  /** Whether a media query matches. When that changes, everything that depends on it is checked again. */
  applies({ mediaText }) {
    let query = this.media.get(mediaText);
    if (!query) {
      this.media.set(mediaText, query = matchMedia(mediaText));
      query.addListener(this.onmedia);
    }
    return query.matches;
  }

  /** Whether a rule may apply to an element. States and attributes are ignored, because they change unnoticed. */
  isUsed(selector, root) {
    if (/:host|::slotted/.test(selector)) return true;
    const changing = /\\.|\[[^\]]*\]|::?[\w-]+(\([^)]*\))?|&/g;
    const lasting = (selector || "").replace(changing, part => part[0] === "\\" ? part : "");
    try {
      return !!root.querySelector(lasting.trim() || "*");
    } catch (error) {
      return true;
    }
  }

  /** Checks the names of the properties first: most changes of styles move or fade something. */
  restyleElement({ style }) {
    if (!style) return;
    for (let index = 0; index < style.length; index += 1) {
      if (mayHaveImage.test(style[index])) return this.restyle(style);
    }
  }

  restyle(style, base) {
    // If a shorthand contains var(), only the shorthand has text. Otherwise its longhands are replaced before it.
    for (const name of Array.from(style).concat(shorthands)) {
      const value = style.getPropertyValue(name);
      if (!value.includes("url(")) continue;
      const found = [];
      value.replace(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^()\s]+))\s*\)/g, (all, a, b, c) => {
        const given = absolute(a || b || c || "", base);
        const source = this.cache.sources.get(given); // released while its element was outside of the document
        if (source || given && this.options.matches(given)) found.push([all, source || given]);
        return all;
      });
      if (!found.length) continue;
      const images = found.map(([all, address]) =>
        this.cache.get(address, "same-origin").then(url => {
          this.cache.pinned.add(url); // while it waits for the others; a scan of the rule does so again
          return [all, `url("${url}")`];
        }, () => [all, all]));
      Promise.all(images).then(pairs => {
        if (style.getPropertyValue(name) !== value) return;
        const replaced = pairs.reduce((text, [all, ours]) => text.split(all).join(ours), value);
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

/** The attributes that an image had before it was given an object URL, and the address of the image that it shows. */
class ImageState {
  constructor(image, address) {
    this.address = address;
    this.selected = image.currentSrc || image.src;
    this.original = {};
    for (const name of ["sizes", "srcset", "src"]) this.original[name] = image.getAttribute(name);
    this.isDone = this.hasFailed = false;
    /** The attributes that it was given. */
    this.own = undefined;
  }

  /** Returns the state of the same image with another candidate selected. */
  next(address) {
    const state = Object.assign(Object.create(ImageState.prototype), this);
    return Object.assign(state, { address, selected: address, isDone: false, hasFailed: false });
  }

  /**
   * Finds the current `source` elements, which pages change, with their `srcset`, or the one that was removed. Returns
   * whether the image has, or had, several candidates.
   */
  gather(image) {
    const before = new Map(this.sources);
    const sources = image.matches("picture > img") ? image.parentNode.querySelectorAll("source") : [];
    this.sources = Array.from(sources, source => [source, source.getAttribute("srcset") || before.get(source) || null]);
    if (!this.hasSizes(image)) this.original.sizes = image.getAttribute("sizes");
    return this.original.srcset !== null || before.size + this.sources.length > 0;
  }

  /** Whether `sizes` is unchanged. Beside `source` elements the polyfill sets it; otherwise scripts may change it. */
  hasSizes(image) {
    return this.sources.length > 0 || this.original.sizes === image.getAttribute("sizes");
  }

  /** Whether the image still has the attributes that it was given, or, before that, the original ones. */
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
    // Beside a candidate for 2x, `src` would be one for 1x.
    this.own = descriptor ? { src: null, srcset: `${url} ${descriptor}` } : { src: url, srcset: null };
    const chosen = descriptor && this.sources.find(([, srcset]) => srcset === text);
    // Each `source` has its own, or the default. Without `source` elements, changes by scripts remain.
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
