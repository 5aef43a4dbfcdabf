import { gif, sampleOf, shows } from "./detection.js";

/** Resolves to whether the page's policy permits images from object URLs. */
export async function permitsBlobs() {
  const url = URL.createObjectURL(sampleOf(gif));
  const isShown = await shows(url);
  URL.revokeObjectURL(url);
  return isShown;
}

/** Writes one line to the console: the reason why nothing can be shown on the page. */
export const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);
