import { WebPError, core, files, mismatch } from "../module/files.js";
import { permitsBlobs } from "./Cache.js";

/** Returns the limits in options. */
const limitsIn = ({ maximumPixels, unrestrictedPixels, maximumPixelsPerByte }) =>
  ({ maximumPixels, unrestrictedPixels, maximumPixelsPerByte });

/** The time in which a new worker must answer, in milliseconds. Its script is loaded in this time, too. */
const patience = 30000;

/**
 * The decoder in two workers, one of them for large images. When a worker is idle, it is ended to release its memory. The page
 * fetches the files under its own policy, and passes their bytes to a worker when it is their turn.
 */
export class Service {
  constructor(options, onFailure = () => {}) {
    this.idle = options.idle;
    this.limits = limitsIn(options);
    this.onFailure = onFailure;
    this.jobs = new Map();
    this.last = 0;
    /** The workers, by `isLarge`. */
    this.workers = new Map();
  }

  /** Converts a file. Calls `onPart` with images of the finished rows. */
  convert(url, init, interval, onPart, ...rules) {
    const source = new core.Source(() => core.request(url, init), ...rules);
    return this.add({ interval, limits: this.limits }, source, onPart);
  }

  /** Decodes bytes to {width, height, data}. The signal releases the worker if it has nothing else to do. */
  decode(bytes, options) {
    const source = new core.Source(async () => new Response(bytes));
    const decoded = this.add({ isDecoded: true, limits: limitsIn(options) }, source);
    const id = this.last;
    if (options.signal) options.signal.addEventListener("abort", () => {
      source.close();
      if (this.jobs.delete(id) && !this.jobs.size) this.end();
    });
    return decoded;
  }

  add(values, source, onPart) {
    const id = ++this.last;
    this.worker(false); // loads the decoder at the same time as the file
    return new Promise((resolve, reject) => {
      const job = Object.assign({ id }, values);
      this.jobs.set(id, { job, source, resolve, reject, onPart });
      this.begin(job, source);
    });
  }

  /** Resolves to whether a file begins like WebP. */
  async isWebP(url, init) {
    const source = new core.Source(() => core.request(url, init));
    await source.open().catch(() => {});
    source.close();
    return !!source.start && core.isWebP(source.start);
  }

  async begin(job, source) {
    try {
      if (this.error) throw this.error;
      await source.open();
      if (!this.jobs.has(job.id)) return;
      const worker = this.worker(source.isLarge);
      if (worker) worker.postMessage(job);
      else core.convert(job, source, message => this.receive(message));
    } catch ({ kind, message, offset, status }) {
      this.receive({ id: job.id, error: { kind, message, offset, status } });
    }
  }

  /** Returns a worker that has started, or undefined if the page's policy forbids workers. */
  worker(isLarge) {
    if (this.isAlone) return undefined;
    const existing = this.workers.get(isLarge);
    if (existing) {
      clearTimeout(existing.timer);
      return existing;
    }
    try {
      const worker = this.create();
      worker.onmessage = event => this.receive(event.data, worker);
      worker.onerror = () => this.withoutWorker();
      worker.silence = setTimeout(() => this.fail("the worker does not answer"), patience);
      worker.postMessage({ wasm: core.source(), isLarge });
      this.workers.set(isLarge, worker);
      return worker;
    } catch (error) {
      this.isAlone = true;
    }
  }

  /** A worker must have the page's origin. If its script has another origin, a blob of the page's origin imports the script. */
  create() {
    const { href, origin } = new URL(files.worker(), typeof document === "object" ? document.baseURI : location.href);
    if (origin === self.origin) return new Worker(href);
    const script = new Blob([`importScripts(${JSON.stringify(href)})`], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  }

  /** Ends all conversions, because the worker does not answer, or is of another version. */
  fail(reason) {
    this.end();
    this.isAlone = true;
    this.error = core.unavailable(reason);
    this.onFailure(this.error);
    this.jobs.forEach((_, id) => this.receive({ id, error: this.error }));
  }

  /** Continues in the page, because its policy forbids workers. */
  withoutWorker() {
    if (this.isAlone) return;
    this.end();
    this.isAlone = true;
    this.jobs.forEach(({ job, source }) => {
      source.endTurn();
      this.begin(job, source);
    });
  }

  receive({ id, isStarted, version, ask, values = [], part, done, error }, worker) {
    if (isStarted) {
      clearTimeout(worker.silence);
      const reason = mismatch("pure-webp-worker.js", version);
      return reason && this.fail(reason);
    }
    if (error && error.isStale && !this.error) return this.fail(error.message);
    const job = this.jobs.get(id);
    if (ask) {
      return Promise.resolve().then(() => job.source[ask](...values))
        .then(value => ({ id, value, most: job.source.most }), ({ message }) => ({ id, message })).then(it => worker.postMessage(it));
    }
    if (!job) return;
    if (part) return job.onPart(part);
    this.jobs.delete(id);
    job.source.close();
    const { kind, message, offset, status } = error || {};
    if (!error) job.resolve(done);
    else job.reject(kind ? new WebPError(kind, message, offset, status) : new Error(message));
    const isBusy = isLarge => Array.from(this.jobs.values()).some(({ source }) => source.isLarge === isLarge);
    this.workers.forEach((each, isLarge) => {
      if (isLarge ? !isBusy(true) : !this.jobs.size) each.timer = setTimeout(() => this.end(isLarge), isLarge ? 0 : this.idle);
    });
  }

  stop() {
    this.jobs.forEach(({ source }) => source.close());
    this.jobs.clear();
    this.end();
  }

  /** Ends one worker, or both. */
  end(isLarge) {
    this.workers.forEach((worker, key) => {
      if (isLarge !== undefined && key !== isLarge) return;
      clearTimeout(worker.timer);
      clearTimeout(worker.silence);
      worker.terminate();
      this.workers.delete(key);
    });
  }
}

/** Resolves to the reason why nothing can be converted here, or to undefined. */
export async function obstacle() {
  const reason = mismatch("pure-webp-core.js", core.version);
  if (reason) return new WebPError("moduleUnavailable", reason);
  if (typeof WebAssembly !== "object") return core.unavailable("the browser has no WebAssembly");
  try {
    // The module is empty. WebKit checks the policy only when a module is instantiated.
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  } catch (error) {
    return core.unavailable("the page's policy needs script-src 'wasm-unsafe-eval': " + error.message);
  }
  if (!await permitsBlobs()) return core.unavailable("the page's policy needs img-src blob:");
}
