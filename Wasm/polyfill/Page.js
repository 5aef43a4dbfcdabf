import { absolute, requestOf, storeBase } from "./addresses.js";
import { Cache, urlIn } from "./Cache.js";
import { Images } from "./Images.js";
import { listen, tap, tapImages } from "./members.js";
import { StyleSheets } from "./StyleSheets.js";

/**
 * The attributes with which elements other than `img` show images, by local name. There is no prototype, because a
 * local name may be `constructor`.
 */
const attributes = {
  __proto__: null, input: ["src"], video: ["poster"], image: ["href", "xlink:href"], object: ["data"], embed: ["src"],
  iframe: ["src"], link: ["href"], feImage: ["href", "xlink:href"],
};
for (const name of ["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]) attributes[name] = ["background"];

/**
 * A document that is watched, with the shadow trees in it.
 *
 * The page finds images and replaces them. `options.service` converts them; it has these methods:
 *
 * - `convert(url, init, interval, onPart, isVisible, mostPixels, plays)` resolves to the image as a blob, or as a data URL.
 *   Until then, it may call `onPart` with the finished rows, or with an empty image of the right size and `true`. `init` has the
 *   options of the request. For an animation, it calls `plays` with the first frame; if that returns false, there is no image.
 * - `isWebP(url, init)` resolves to whether an address without the extension names a WebP file.
 * - `stop()` ends all conversions.
 */
export class Page {
  constructor(options) {
    this.options = options;
    this.service = options.service;
    this.cache = new Cache(this.service, options, () => this.images.shown());
    this.images = new Images(this);
    this.sheets = new StyleSheets(this);
    /** Media queries by text. */
    this.media = new Map();
    /** Shadow trees by host, and the shadow trees whose hosts are in the document. */
    this.shadows = new WeakMap();
    this.roots = new Set();
    /** The prototypes of images, of this window and of frames. */
    this.realms = new WeakSet();
    this.onmedia = () => {
      this.sheets.scan();
      this.images.reselectSoon();
    };
    this.onheard = event => {
      if (!this.isStopped && this.hear(event.target, event.type)) event.stopImmediatePropagation();
    };
    this.onresize = () => this.images.reselectSoon();
  }

  start() {
    storeBase();
    document.addEventListener("load", this.onheard, true); // load events do not reach the window
    addEventListener("error", this.onheard, true);
    addEventListener("resize", this.onresize);
    this.observer = new MutationObserver(records => this.changed(records));
    this.observe(document);
    this.patch();
    this.scan(document);
    this.adoptAll(document);
    this.sheets.scan();
  }

  observe(root) {
    this.observer.observe(root, {
      childList: true, subtree: true, attributes: true,
      attributeFilter: [
        "src", "srcset", "sizes", "style", "class", "id", "media", "poster", "href", "data", "background",
      ],
    });
  }

  /** Listens to the images of a window, or of a document's, outside of the document. */
  enter(given) {
    try {
      const realm = given.defaultView || given;
      const { prototype } = realm.HTMLImageElement;
      if (this.isStopped || this.realms.has(prototype)) return;
      this.realms.add(prototype);
      this.undo.push(tapImages(realm, image =>
        image.isConnected || ["error", "load"].forEach(type => listen(image, type, this.onheard))));
    } catch (error) {
      // There is no window, or it is of another origin.
    }
  }

  /**
   * Wraps the functions whose effects the browser does not report: they use images outside of the document, create
   * animations, shadow trees and rules, or change the address of an SVG's image through `baseVal`. If another script wraps
   * a function again, the polyfill's function remains, without an effect after the end.
   */
  patch() {
    const page = this;
    const undo = this.undo = [];
    const wrap = (owner, name, make) => {
      const own = owner && owner[name];
      if (!own) return;
      const wrapped = owner[name] = make(own);
      undo.push(() => { if (owner[name] === wrapped) owner[name] = own; });
    };
    this.enter(window);
    undo.push(tap(HTMLIFrameElement.prototype, ["contentDocument", "contentWindow"], (_, given) => this.enter(given)));
    wrap(Element.prototype, "animate", animate => function (keyframes, ...values) {
      const animation = animate.call(this, keyframes, ...values);
      page.sheets.reanimate(animation, keyframes);
      return animation;
    });
    wrap(Element.prototype, "attachShadow", attach => function (...values) {
      const root = attach.apply(this, values);
      page.adopt(root);
      return root;
    });
    undo.push(tap(SVGAnimatedString.prototype, ["baseVal"], (_, value, isSet) => {
      if (isSet && page.cache.webpAddress(absolute(value))) Promise.resolve().then(() => page.visitSVG());
    }));
    for (const name of ["insertRule", "replace", "replaceSync"]) {
      wrap(CSSStyleSheet.prototype, name, change => function (...values) {
        page.sheets.scanSoon();
        return change.apply(this, values);
      });
    }
  }

  /** Watches the shadow trees of the elements in a tree. */
  adoptAll(root) {
    root.querySelectorAll("*").forEach(element => this.adopt(element.shadowRoot));
  }

  /** Watches a shadow tree, whose events do not leave it. */
  adopt(root) {
    if (!root || this.isStopped || this.shadows.has(root.host)) return;
    this.shadows.set(root.host, root);
    this.roots.add(root);
    for (const type of ["load", "error"]) {
      root.addEventListener(type, this.onheard, true);
      this.undo.push(() => root.removeEventListener(type, this.onheard, true));
    }
    this.observe(root);
    this.adoptAll(root);
    this.scan(root);
    this.sheets.scanSoon();
  }

  stop() {
    this.isStopped = true;
    document.removeEventListener("load", this.onheard, true);
    removeEventListener("error", this.onheard, true);
    removeEventListener("resize", this.onresize);
    this.undo.forEach(undo => undo());
    this.observer.disconnect();
    this.media.forEach(query => query.removeListener(this.onmedia));
    this.sheets.stop();
    this.service.stop();
    this.images.stop();
    this.cache.clear();
  }

  scan(node) {
    this.visit(node);
    if (!node.querySelectorAll) return;
    node.querySelectorAll(
      "img, input, video, image, feImage, object, embed, iframe, link, [style], [background]",
    ).forEach(element => this.visit(element));
  }

  visitSVG() {
    this.connectedRoots().forEach(root => root.querySelectorAll("image, feImage").forEach(image => this.visit(image)));
  }

  visit(element) {
    const name = element.localName;
    if (name === "img") this.images.consider(element);
    if (name === "iframe") this.enter(element.contentWindow);
    // A filter excludes attributes with a namespace, such as xlink:href.
    if (/^(image|feImage)$/.test(name)) this.observer.observe(element, { attributes: true });
    if (attributes[name]) attributes[name].forEach(attribute => this.replaceAttribute(element, attribute));
    this.sheets.restyleElement(element);
    // A shadow tree whose host was outside of the document.
    if (this.shadows.has(element)) this.roots.add(this.shadows.get(element));
  }

  changed(records) {
    storeBase();
    this.images.balanceSoon();
    let sheets = false;
    for (const record of records) {
      const { target, attributeName } = record;
      if (attributeName === "style") {
        this.sheets.restyleSoon(target);
        continue;
      }
      if (attributeName === "class" || attributeName === "id") {
        sheets = true;
        continue;
      }
      const holder = target.localName === "source" && target.parentNode || target;
      // The candidates of an image, or their media.
      if (target.localName === "picture" || attributeName === "media") this.images.reselect(holder.querySelectorAll("img"));
      if (attributeName === "media") {
        sheets = true;
      } else if (attributeName) {
        if (attributeName === "sizes") this.images.reselectSoon();
        this.visit(holder.querySelector("img") || target);
      } else {
        const { addedNodes } = record;
        sheets = sheets || target.localName === "style" || Array.from(addedNodes).some(node => node.localName);
        addedNodes.forEach(node => this.scan(node));
      }
    }
    if (sheets) this.sheets.scanSoon();
  }

  /** Returns whether an event of an element must be hidden from the page. */
  hear(element, type) {
    if (/^(link|style)$/.test(element.localName)) this.sheets.scan(); // imported sheets have been loaded, too
    if (element.localName !== "img") return false;
    // The sample shows whether the browser supports WebP.
    if (/pure-webp-sample\.webp/.test(element.src)) return false;
    return this.images.hear(element, type);
  }

  /** Replaces the address of an image in an attribute. */
  async replaceAttribute(element, name) {
    const text = element.getAttribute(name);
    if (!text || element.localName === "link" && !/\bicon\b/i.test(element.rel)) return;
    const address = this.cache.webpAddress(absolute(text));
    if (!address) return;
    try {
      const url = urlIn(await this.cache.get(address, requestOf(element), element));
      if (element.getAttribute(name) !== text) return;
      // Without a type, browsers guess it from the address.
      if (element.type === "image/webp" || /^(object|embed)$/.test(element.localName)) element.type = "image/png";
      if (name === "poster") element.removeAttribute(name); // WebKit ignores the first poster after one that failed
      element.setAttribute(name, url);
      if (name === "data") this.restoreAfterError(element, url);
    } catch (error) {
      // `onError` has been called.
    }
  }

  /** In WebKit, the failure of an object's previous request may end the current one. Then it begins again, once. */
  restoreAfterError(object, url) {
    const restore = () => object.getAttribute("data") === url && object.setAttribute("data", url);
    object.addEventListener("error", restore, { once: true });
  }

  /** Returns the document and the shadow trees in it. */
  connectedRoots() {
    this.roots.forEach(root => root.host.isConnected || this.roots.delete(root));
    return [document, ...this.roots];
  }

  /** Returns whether a media query matches. When that changes, everything that depends on it is checked again. */
  applies({ mediaText }) {
    let query = this.media.get(mediaText);
    if (!query) {
      this.media.set(mediaText, query = matchMedia(mediaText));
      query.addListener(this.onmedia);
    }
    return query.matches;
  }
}
