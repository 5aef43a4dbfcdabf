/** Resolves to whether the browser shows an image of one pixel from an object URL. */
export function shows(sample) {
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
export const gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

/** Resolves to whether the browser shows WebP: lossy, lossless, with alpha and animated. */
export async function isSupported() {
  const samples = [
    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
    "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
  ];
  return (await Promise.all(samples.map(shows))).every(Boolean);
}

/** Writes one line to the console: the reason why nothing can be shown on the page. */
export const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);
