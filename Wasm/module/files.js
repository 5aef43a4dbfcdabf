/** The functions of pure-webp-core.js. */
export const core = (typeof globalThis === "object" ? globalThis : self).PureWebPCore;

export const { WebPError } = core;

/** The text of an error if the other script is of another version, as during the update of a CDN. */
export const mismatch = (file, version) => version !== "PACKAGE_VERSION"
  && `${file} has version ${version}, not PACKAGE_VERSION`;

/**
 * The addresses of the other files, each as a literal that bundlers recognize. They are evaluated only when they are
 * needed: in a bundle, a frame with `srcdoc` or a worker from a blob, the script may not have an address to which
 * others are relative.
 */
export const files = {
  simd: () => new URL("./pure-webp-simd.wasm", import.meta.url),
  plain: () => new URL("./pure-webp.wasm", import.meta.url),
  webp: () => new URL("./pure-webp-sample.webp", import.meta.url),
  gif: () => new URL("./pure-webp-sample.gif", import.meta.url),
  worker: () => core.versioned(new URL("./pure-webp-worker.js", import.meta.url)),
};
core.locate = simd => simd ? files.simd() : files.plain();

/** Sets the address of the decoder's module, or a compiled module, and the address of the polyfill's worker. */
export function configure({ wasm, worker }) {
  if (wasm !== undefined) core.wasm = wasm.href || wasm;
  if (worker !== undefined) files.worker = () => worker;
}
