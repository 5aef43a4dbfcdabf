import { core } from "../module/files.js";

/** Resolves to whether the browser shows an image of one pixel from an object URL. */
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

/** One pixel. */
const gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

/** Resolves to whether the browser shows WebP: lossy, lossless, with alpha and animated. */
export async function isSupported() {
  const samples = [
    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
    "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
  ];
  return (await Promise.all(samples.map(shows))).every(Boolean);
}

/** Resolves to the reason why nothing can be converted here, or to undefined. */
export async function obstacle() {
  if (typeof WebAssembly !== "object") return core.unavailable("the browser has no WebAssembly");
  try {
    // The module is empty. WebKit checks the policy only when a module is instantiated.
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  } catch (error) {
    return core.unavailable("the page's policy needs script-src 'wasm-unsafe-eval': " + error.message);
  }
  if (!await shows(gif)) return core.unavailable("the page's policy needs img-src blob:");
}

/** Writes one line to the console: the reason why nothing can be shown on the page. */
export const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);
