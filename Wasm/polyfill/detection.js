/**
 * One pixel, lossless: the browsers that run the scripts and show it also show animations. Wasm/build-scripts writes the
 * samples to files, too.
 */
const webp = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";

/** One pixel. */
export const gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

/** Returns a blob of a text in Base64. */
export const blobOf = (text, type) => new Blob([Uint8Array.from(atob(text), character => character.charCodeAt(0))], { type });

/** Resolves to whether the browser shows the image at an address. */
export const shows = url => new Promise(done => {
  const image = document.createElement("img"); // other scripts, such as pure-webp-head.js, wrap `Image`
  image.onload = image.onerror = () => done(image.width === 1);
  image.src = url;
});

const decodes = text => createImageBitmap(blobOf(text)).then(() => true, () => false);

/**
 * Resolves to whether the browser shows WebP, or to undefined if the page's policy forbids the test. Policies do not apply to
 * `createImageBitmap`. Safari before 15 does not have it; it loads the samples, whose addresses `address` returns.
 */
export async function detect(address) {
  const tests = window.createImageBitmap
    ? [decodes(webp), decodes(gif)] : [shows(address("webp")), shows(address("gif"))];
  const [isShown, hasControl] = await Promise.all(tests);
  return isShown || (hasControl ? false : undefined);
}
