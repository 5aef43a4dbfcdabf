import { WebPError, core, files } from "../module/files.js";
import { gif, shows } from "./support.js";

/** Returns the limits in options. */
const limitsIn = ({ maximumPixels, unrestrictedPixels, maximumPixelsPerByte }) =>
  ({ maximumPixels, unrestrictedPixels, maximumPixelsPerByte });

/** The time in which a new worker must answer, in milliseconds. Its script is loaded in this time, too. */
const patience = 30000;

/**
 * The decoder in a worker. When the worker is idle, it is ended to release its memory. The page fetches the files under
 * its own policy, and passes their bytes to the worker on request.
 */
export class Service {
  constructor(options, onFailure = () => {}) {
    this.idle = options.idle;
    this.limits = limitsIn(options);
    this.onFailure = onFailure;
    this.jobs = new Map();
    this.last = 0;
  }

  /** Converts a file to a PNG. Calls `onPart` with images of the finished rows. */
  convert(url, credentials, interval, onPart) {
    return this.add({ interval, limits: this.limits }, new core.Source(url, credentials), onPart).then(core.blobOf);
  }

  /** Decodes bytes to {width, height, data}. `stopping.stop` then releases the worker if it has nothing else to do. */
  decode(bytes, options, stopping) {
    const decoded = this.add({ bytes, limits: limitsIn(options) }, { close() {} });
    const id = this.last;
    stopping.stop = () => {
      if (this.jobs.delete(id) && !this.jobs.size) this.end();
    };
    return decoded;
  }

  add(values, source, onPart) {
    const id = ++this.last;
    clearTimeout(this.timer);
    return new Promise((resolve, reject) => {
      const job = Object.assign({ id, wasm: core.source() }, values);
      this.jobs.set(id, { job, source, resolve, reject, onPart });
      this.begin(job, source);
    });
  }

  isWebP(url, credentials) {
    return core.isWebPAt(url, credentials);
  }

  begin(job, source) {
    if (this.worker === undefined) {
      try {
        this.worker = this.create();
        this.worker.onmessage = event => this.receive(event.data);
        this.worker.onerror = () => this.withoutWorker();
        this.silence = setTimeout(() => this.fail(), patience);
      } catch (error) {
        this.worker = null;
      }
    }
    if (this.error) this.receive({ id: job.id, error: this.error });
    else if (this.worker) this.worker.postMessage(job);
    else core.convert(job, source, message => this.receive(message));
  }

  /**
   * A worker must have the page's origin. If its script has another origin, a blob of the page's origin imports the
   * script.
   */
  create() {
    const { href, origin } = new URL(files.worker(), typeof document === "object" ? document.baseURI : location.href);
    if (origin === self.origin) return new Worker(href);
    const script = new Blob([`importScripts(${JSON.stringify(href)})`], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  }

  /** Ends all conversions, because the worker does not answer: its script may be an old one from a cache. */
  fail() {
    this.end();
    this.worker = null;
    this.error = core.unavailable("the worker does not answer; is pure-webp-worker.js of the same version?");
    this.onFailure(this.error);
    this.jobs.forEach((_, id) => this.receive({ id, error: this.error }));
  }

  /** Continues in the page, because its policy forbids workers. */
  withoutWorker() {
    this.end();
    this.worker = null;
    this.jobs.forEach(({ job, source }) => this.begin(job, source));
  }

  receive({ id, isStarted, ask, part, done, error }) {
    const job = this.jobs.get(id);
    if (!job) return;
    clearTimeout(this.silence);
    if (isStarted) return;
    if (ask) {
      const answer = job.source[ask]().then(piece => ({ id, piece }), ({ message }) => ({ id, message }));
      return answer.then(it => this.worker && this.worker.postMessage(it));
    }
    if (part) return job.onPart(part);
    this.jobs.delete(id);
    job.source.close();
    const { kind, message, offset, status } = error || {};
    if (!error) job.resolve(done);
    else job.reject(kind ? new WebPError(kind, message, offset, status) : new Error(message));
    if (this.worker && !this.jobs.size) this.timer = setTimeout(() => this.end(), this.idle);
  }

  stop() {
    this.jobs.forEach(({ source }) => source.close());
    this.jobs.clear();
    this.end();
  }

  end() {
    clearTimeout(this.silence);
    if (!this.worker) return;
    this.worker.terminate();
    this.worker = undefined;
  }
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
