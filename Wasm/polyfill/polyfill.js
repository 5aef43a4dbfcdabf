import { core, files } from "../module/files.js";
import { report } from "./Cache.js";
import { detect } from "./detection.js";
import { Page } from "./Page.js";
import { Service, obstacle } from "./Service.js";

/** Resolves to whether the browser shows WebP. Resolves to undefined if the page's policy forbids the test. */
export const isSupported = async () => typeof document === "object" && detect(type => files[type]().href);

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

async function start(given = {}) {
  const head = typeof PureWebPHead === "object" ? PureWebPHead : undefined;
  const result = { status: "unneeded", error: null, stop() {} };
  if (typeof document === "object" && (given.force || await isSupported() === false)) {
    const options = {
      matches: core.isCalledWebP, fade: 0, interval: 150, cacheBytes: 1 << 24, shownPixels: 2 ** 26, idle: 10000, onError() {},
    };
    for (const name of Object.keys(given)) if (given[name] !== undefined) options[name] = given[name];
    const fail = error => {
      Object.assign(result, { status: "failed", error });
      options.onError(error);
    };
    const error = await obstacle();
    if (error) {
      report(error);
      fail(error);
    } else {
      result.status = "active";
      options.service = new Service(options, fail);
      const page = new Page(options);
      const failed = head ? head.take(page.onheard) : []; // before the page wraps `Image` again
      page.start();
      failed.forEach(image => page.hear(image, "error"));
      watching = result;
      result.stop = () => {
        if (watching !== result) return;
        watching = undefined;
        page.stop();
      };
    }
  }
  if (head && result.status !== "active") head.release();
  return result;
}
