// For the <head> of a page whose images have fallbacks. If the browser does not show WebP, it defers the `error` events of WebP
// images until the polyfill runs, which takes them over. Without it, the page receives them when polyfill() has ended, or ten
// seconds after its `load`. Wasm/build-scripts joins it with polyfill/detection.js.
import { detect } from "./polyfill/detection.js";
import { listen, tapImages } from "./polyfill/members.js";

const held = [];
let next = hold;
const hear = event => next(event);

function hold(event) {
  const image = event.target;
  // The sample, pure-webp-sample.webp, is not deferred: a page may load it to decide whether it needs the polyfill.
  if (!/^(?!.*p-sample)([^?#]*\.webp([?#]|$)|data:image\/webp)/i.test(image.currentSrc)) return;
  event.stopImmediatePropagation();
  held.push(image);
}

const untap = tapImages(window, image => listen(image, "error", hear));

function take(listener) {
  removeEventListener("error", hear, true);
  untap();
  next = listener;
  return held.splice(0);
}

const release = () => next === hold && take(() => {}).forEach(image =>
  image.complete && !image.naturalWidth && image.dispatchEvent(new Event("error")));

const base = document.currentScript.src || location;
detect(type => new URL("pure-webp-sample." + type, base)).then(isShown => isShown === false || release());
addEventListener("error", hear, true);
addEventListener("load", () => setTimeout(release, 10000));
const own = {
  Blob, Event, FileReader, MutationObserver, Response, WebAssembly, Worker, clearTimeout, fetch, getComputedStyle, matchMedia,
  performance, setTimeout, IntersectionObserver: window.IntersectionObserver, createImageBitmap: window.createImageBitmap,
};
window.PureWebPHead = { take, release, own };
