import { core, files } from "../module/files.js";
import { detect } from "./detection.js";
import { Page } from "./Page.js";
import { Service, obstacle } from "./Service.js";
import { report } from "./support.js";

/** Resolves to whether the browser shows WebP. Resolves to undefined if the page's policy forbids the test. */
export const isSupported = async () => typeof document === "object" && detect(type => files[type]().href);

/** Returns the options with the defaults in place of undefined ones. */
function completed(options, onFailure) {
  const all = {
    root: document, matches: core.isCalledWebP, fade: 0, interval: 150, cacheBytes: 1 << 24, shownPixels: 2 ** 26,
    idle: 10000, onError() {},
  };
  for (const name of Object.keys(options)) if (options[name] !== undefined) all[name] = options[name];
  all.service = new Service(all, onFailure);
  return all;
}

/** The page that is watched, or one that only `polyfillImage` uses. */
let active;

/** The result of the call that watches the page. */
let watching;

/** Settles after the last call of `polyfill`. */
let latest = Promise.resolve();

/**
 * Shows WebP in a browser that does not. Resolves to {status, error, stop()}; the status is "active", "unneeded" or
 * "failed". Until it is stopped, further calls have the same result.
 */
export function polyfill(options) {
  return latest = latest.catch(() => {}).then(() => watching || start(options));
}

async function start(options = {}) {
  const head = typeof PureWebPHead === "object" ? PureWebPHead : undefined;
  const result = { status: "unneeded", error: null, stop() {} };
  if (typeof document === "object" && (options.force || await isSupported() === false)) {
    const fail = error => {
      Object.assign(result, { status: "failed", error });
      all.onError(error);
    };
    const all = completed(options, fail);
    const error = await obstacle();
    if (error) {
      report(error);
      fail(error);
    } else {
      result.status = "active";
      const page = active = new Page(all);
      const failed = head ? head.take(page.onheard) : []; // before the page wraps `Image` again
      page.start();
      failed.forEach(image => page.hear(image, "error"));
      watching = result;
      result.stop = () => {
        if (watching !== result) return;
        watching = undefined;
        page.stop();
        if (active === page) active = undefined;
      };
    }
  }
  if (head && result.status !== "active") head.release();
  return result;
}

/**
 * Shows one image, without watching the page. Resolves to whether it was converted: not in a browser that shows WebP,
 * unless `force` is set. Rejects if the image cannot be decoded.
 */
export async function polyfillImage(image, options = {}) {
  if (!options.force && await isSupported() !== false) return false;
  const error = await obstacle();
  if (error) throw error;
  active = active || new Page(completed(options));
  await active.images.show(image, image.currentSrc || image.src);
  const { failure } = active.images.states.get(image) || {};
  if (failure) throw failure;
  return true;
}
