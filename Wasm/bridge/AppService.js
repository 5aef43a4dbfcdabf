import { permitsBlobs } from "../polyfill/Cache.js";
import { blobOf } from "../polyfill/detection.js";

/** Returns the data URL of an empty image. */
const sized = (width, height) =>
  "data:image/svg+xml;base64," + btoa(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`);

/** Returns the contents of a data URL in Base64. */
function contentsOf(url) {
  const [, type, text] = /^data:(.*?);base64,(.*)$/.exec(url);
  return blobOf(text, type);
}

/** Returns a random token. Browsers offer `randomUUID` only in secure contexts. */
const token = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Requests PNGs from the app. `post` sends a request, { page, id, url }, to the app, which calls `answer` with the size of
 * the image, and then with its source or a failure.
 */
export class AppService {
  constructor(post) {
    this.post = post;
    this.requests = new Map();
    this.last = 0;
    /** The images that `isWebP` has requested, by address. */
    this.sniffed = new Map();
    /** Distinguishes this page from the previous one of the view, whose answers may still arrive. */
    this.page = token();
    // When the user returns to a page that the browser has preserved, the page has missed the answers sent meanwhile. The
    // page repeats all open requests with a new token, which stops the loads for the old token.
    addEventListener("pageshow", event => {
      if (!event.persisted) return;
      this.page = token();
      this.requests.forEach(({ url }, id) => this.send(id, url));
    });
  }

  send(id, url) {
    this.post({ page: this.page, id, url });
  }

  answer(page, id, kind, ...values) {
    const request = this.requests.get(id);
    if (page !== this.page || !request) return;
    if (kind !== "size") this.requests.delete(id);
    request[kind](...values);
  }

  convert(url, credentials, interval, onPart) {
    const sniffed = this.sniffed.get(url);
    this.sniffed.delete(url);
    return sniffed || this.request(url, onPart);
  }

  async request(url, onPart) {
    // Blobs need less memory, but the page's policy may forbid them.
    this.permitsBlobs = this.permitsBlobs || permitsBlobs();
    const imageOf = await this.permitsBlobs ? contentsOf : url => url;
    return imageOf(await new Promise((source, failure) => {
      const id = ++this.last;
      const size = (width, height) => onPart(imageOf(sized(width, height)), true);
      this.requests.set(id, { url, source, failure: reason => failure(new Error(reason)), size });
      this.send(id, url);
    }));
  }

  /**
   * The app converts the image, because only a conversion shows whether it is WebP. `convert` returns the result. The app
   * cannot load object URLs. They include the one that `request` waits for.
   */
  async isWebP(url) {
    if (url.startsWith("blob:")) return false;
    const image = this.request(url, () => {});
    this.sniffed.set(url, image);
    return image.then(() => true, () => {
      this.sniffed.delete(url);
      return false;
    });
  }

  stop() {
    this.requests.clear();
  }
}
