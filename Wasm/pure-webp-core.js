// The part that the page, its worker, the service worker and Node share: the calls of the decoder, and the conversion
// of WebP to PNG.
//
// Wasm/build joins the files of core/ to a classic script, which defines one global, PureWebPCore. The browsers that need
// it have no modules in workers. The syntax and APIs are from 2018 (Safari 12, Firefox 60).
import { bytesOf, isAnimated, isWebP, joined, pixelsOf } from "./core/bytes.js";
import { Codec } from "./core/Codec.js";
import { convert, imageOf, pngOf, transcode } from "./core/conversion.js";
import { core, load, source, version, versioned } from "./core/loading.js";
import { isCalledWebP } from "./core/names.js";
import { Source, readerOf, request } from "./core/Source.js";
import { Transcoder } from "./core/Transcoder.js";
import { factorFor, reduced } from "./core/pixels.js";
import { WebPError, unavailable } from "./core/WebPError.js";

Object.assign(core, {
  version, versioned, WebPError, unavailable, Codec, Transcoder, Source, load, convert, imageOf, pngOf, transcode, source, readerOf, request,
  bytesOf, joined, isWebP, isCalledWebP, isAnimated, pixelsOf, factorFor, reduced,
});
(typeof globalThis === "object" ? globalThis : self).PureWebPCore = core;
