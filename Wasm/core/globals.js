/**
 * The globals that the scripts use after start, because the page's code may replace them later: its own `fetch`, for example,
 * would send its tokens to the hosts of images. The files do not import them, because Wasm/build-scripts joins them with this one.
 * pure-webp-head.js has them from the time before the page's code. Bundlers look for `URL` itself.
 */
export const {
  Blob, Event, FileReader, IntersectionObserver, MutationObserver, Response, WebAssembly, Worker, clearTimeout, createImageBitmap,
  fetch, getComputedStyle, matchMedia, performance, setTimeout,
} = (all => all.PureWebPHead ? all.PureWebPHead.own : all)(typeof globalThis === "object" ? globalThis : self);
