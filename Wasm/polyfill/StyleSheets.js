import { absolute, requestOf } from "./addresses.js";
import { urlIn } from "./Cache.js";
import { imagesIn, mayHaveImage, withImages } from "./cssImages.js";

/** Shorthands of properties that may contain images. */
const shorthands = ["background", "border-image", "list-style", "mask", "-webkit-mask"];

/** The images in style sheets and `style` attributes of a page. */
export class StyleSheets {
  constructor(page) {
    this.page = page;
    this.cache = page.cache;
    /** The rules without images, and the number of properties that they had. */
    this.plain = new WeakMap();
    /** The duration of the last scan, in milliseconds. */
    this.scanTime = 0;
    /** The object URLs in keyframes of scripts. */
    this.animated = new Set();
    /** The elements whose `style` attributes have changed, and the time when they may be examined. */
    this.styled = new Set();
    this.restyleTime = 0;
  }

  stop() {
    clearTimeout(this.pending);
  }

  /** Schedules a scan of the sheets. One scan serves many changes, and scans take at most a twentieth of the time. */
  scanSoon() {
    if (this.pending || this.page.isStopped) return;
    this.pending = setTimeout(() => {
      this.pending = 0;
      this.scan();
    }, Math.max(50, 20 * this.scanTime));
  }

  scan() {
    const start = performance.now();
    this.cache.pinned.clear();
    this.animated.forEach(url => this.cache.pinned.add(url));
    for (const root of this.page.connectedRoots()) {
      const sheets = Array.from(root.styleSheets || []).concat(Array.from(root.adoptedStyleSheets || []));
      sheets.forEach(sheet => this.scanSheet(sheet, root));
    }
    this.scanTime = performance.now() - start;
  }

  scanSheet(sheet, root, base, isOn = true) {
    try {
      this.scanRules(sheet.cssRules, root, sheet.href || base, isOn && this.page.applies(sheet.media));
    } catch (error) {
      // The sheet is of another origin, without CORS.
    }
  }

  /** Scans rules. `isOn` is false for rules of other media, whose images are retained but not fetched. */
  scanRules(rules, root, base, isOn) {
    for (const rule of Array.from(rules || [])) {
      const applies = isOn && (!rule.media || this.page.applies(rule.media));
      if (rule.styleSheet) this.scanSheet(rule.styleSheet, root, base, applies);
      else if (rule.cssRules && rule.cssRules.length) this.scanRules(rule.cssRules, root, base, applies);
      const { style } = rule;
      if (!style || this.plain.get(rule) === style.length) continue;
      const text = style.cssText;
      if (!mayHaveImage.test(text)) this.plain.set(rule, style.length);
      text.replace(/blob:[^")]+/g, url => this.cache.pinned.add(url));
      if (applies && this.isUsed(rule.selectorText, root)) this.restyle(style, base);
    }
  }

  /** Returns whether a rule may apply to an element. States and attributes are ignored, because they change unnoticed. */
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

  /** Examines a changed `style` attribute soon. Many changes are examined together, in a fortieth of the time. */
  restyleSoon(element) {
    this.styled.add(element);
    if (this.styled.size > 1) return;
    const restyle = () => {
      const start = performance.now();
      this.styled.forEach(each => this.restyleElement(each));
      this.styled.clear();
      this.restyleTime = 41 * performance.now() - 40 * start;
    };
    const wait = this.restyleTime - performance.now();
    if (wait > 0) setTimeout(restyle, wait);
    else Promise.resolve().then(restyle);
  }

  /** Replaces the images in a `style` attribute. Most changes of styles move or fade something, so its text is tested. */
  restyleElement(element) {
    if (element.style && mayHaveImage.test(element.getAttribute("style"))) this.restyle(element.style);
  }

  /** Replaces the images in the declarations of a rule or a `style` attribute. */
  restyle(style, base) {
    // If a shorthand contains var(), its longhands have no text, so the shorthand is replaced. Otherwise, the longhands
    // have been replaced before.
    for (const name of Array.from(style).concat(shorthands)) {
      const value = style.getPropertyValue(name);
      const conversion = this.converted(value, base);
      if (conversion) conversion.then(replaced => {
        if (replaced !== value && style.getPropertyValue(name) === value) {
          style.setProperty(name, replaced, style.getPropertyPriority(name));
        }
      });
    }
  }

  /** Replaces the images in the keyframes of an animation that a script has begun. They are retained. */
  reanimate({ effect }, keyframes) {
    // Most keyframes have no image. Then the browser is not asked for its own, for which it may update all styles.
    const text = [].concat(keyframes).map(frame => Object.values(frame || {}).join()).join();
    const frames = mayHaveImage.test(text) && effect && effect.setKeyframes ? effect.getKeyframes() : [];
    const changes = [];
    for (const frame of frames) {
      for (const name of Object.keys(frame)) {
        const conversion = this.converted(frame[name], undefined, this.animated);
        if (conversion) changes.push(conversion.then(value => { frame[name] = value; }));
      }
    }
    if (changes.length) Promise.all(changes).then(() => effect.setKeyframes(frames));
  }

  /** Resolves to a value with object URLs, which are added to `retained`. Returns undefined if it has no WebP. */
  converted(value, base, retained = new Set()) {
    if (!mayHaveImage.test(value)) return undefined;
    const addresses = new Map();
    for (const text of imagesIn(value)) {
      const address = this.cache.webpAddress(absolute(text, base || document.baseURI)); // in UTF-8, whatever the page's encoding
      if (address) addresses.set(text, address);
    }
    if (!addresses.size) return undefined;
    const urls = new Map();
    const images = Array.from(addresses, ([text, address]) =>
      this.cache.get(address, requestOf({}), document.documentElement).then(entry => {
        const url = urlIn(entry);
        retained.add(url);
        this.cache.pinned.add(url); // while it waits for the others; the next scan adds it again
        urls.set(text, url);
      }, () => {}));
    return Promise.all(images).then(() => withImages(value, urls));
  }
}
