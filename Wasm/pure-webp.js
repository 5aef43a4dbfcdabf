// The ES module for pages, workers and Node. Wasm/build joins it with the files of module/ and polyfill/.
import "./pure-webp-core.js?PACKAGE_VERSION";
import { decode, decodeInWorker, decodeStream, toPNG } from "./module/decoding.js";
import { WebPError, configure } from "./module/files.js";
import { WebPAnimation } from "./module/WebPAnimation.js";
import { isSupported, polyfill } from "./polyfill/polyfill.js";

export {
  WebPAnimation, WebPError, configure, decode, decodeInWorker, decodeStream, isSupported, polyfill, toPNG,
};
