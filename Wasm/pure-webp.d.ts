/** The reason why a file could not be decoded. */
export class WebPError extends Error {
  constructor(kind: WebPError["kind"], message: string, offset: number, status: number);
  /** `moduleUnavailable`: the decoder's WebAssembly module was not found, or is not allowed. */
  readonly kind:
    "notWebP" | "truncated" | "corrupt" | "unsupported" | "limitExceeded" | "invalidOptions" | "moduleUnavailable";
  /** The offset of the error in the file, in bytes, or −1. */
  readonly offset: number;
  /** The corresponding value of libwebp's VP8StatusCode. */
  readonly status: number;
}

/** A compiled `WebAssembly.Module`. */
type WasmModule = object;

/**
 * Replaces the files that are loaded, for bundles, other hosts and policies. Must be called before the first use.
 *
 * `wasm` is the address of `pure-webp-simd.wasm` or `pure-webp.wasm`, or a compiled module. `worker` is the address of
 * `pure-webp-worker.js`. If they are not set, the files beside `pure-webp.js` are used.
 */
export function configure(files: { wasm?: string | Host<"URL"> | WasmModule; worker?: string | Host<"URL"> }): void;

type Bytes = ArrayBuffer | ArrayBufferView;

/** The instance type of a class of the host, if the host has the class. */
type Host<Name extends string, Otherwise = never> =
  typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : Otherwise;

/** R G B A, not premultiplied. An `ImageData`, or in a host without it (Node) an object with these properties. */
type Picture = Host<"ImageData", { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }>;

/** Rows of an image that have just been finished. */
export interface Rows {
  /** The width of the complete image, in pixels. */
  readonly width: number;
  /** The height of the complete image, in pixels. */
  readonly height: number;
  /** The index of the first row. */
  readonly y: number;
  /** The number of rows. */
  readonly rows: number;
  /** R G B A of these rows. */
  readonly data: Uint8ClampedArray;
}

/**
 * Limits on the pixels of an image or a canvas. Files that exceed one are rejected with `limitExceeded`.
 * `decode` needs up to 8 bytes of memory for each pixel, and the conversion to a PNG up to 12.
 */
export interface Limits {
  /** The maximum of width · height. 2²⁷ by default. */
  maximumPixels?: number;
  /** The number of pixels that need not be backed by bytes of the file. 2²⁶ by default. */
  unrestrictedPixels?: number;
  /** The number of pixels beyond `unrestrictedPixels` that each byte of the file allows. 256 by default. */
  maximumPixelsPerByte?: number;
}

export interface DecodeOptions extends Limits {
  /** Rejects with the signal's reason when it is aborted. */
  signal?: Host<"AbortSignal", { readonly aborted: boolean }>;
  /** True for an `ImageBitmap` as the result. */
  bitmap?: boolean;
}

type File = Bytes | Host<"Blob", { arrayBuffer(): Promise<ArrayBuffer> }> | FileResponse | Host<"ReadableStream">;
type Source = File | PromiseLike<File>;
type FileResponse = Host<"Response", { arrayBuffer(): Promise<ArrayBuffer> }>;
type Bitmap = Host<"ImageBitmap", { readonly width: number; readonly height: number }>;

/**
 * Decodes a file. If it is an animation, decodes the first frame. Rejects with a WebPError, or with a TypeError if
 * `source` is neither a buffer, a view, a Blob, a Response, a stream nor a promise of one. The bytes must not change until the promise is settled.
 *
 * The decoder blocks its thread: a photo of 12 megapixels takes about 0.2 seconds. In pages, use `decodeInWorker`.
 */
export function decode(source: Source, options?: DecodeOptions & { bitmap?: false }): Promise<Picture>;
export function decode(source: Source, options: DecodeOptions & { bitmap: true }): Promise<Bitmap>;
export function decode(source: Source, options: DecodeOptions): Promise<Picture | Bitmap>;

/**
 * Decodes a file as `decode` does, in a worker, which is ended after ten idle seconds. Hosts without web workers decode in
 * the same thread.
 */
export function decodeInWorker(source: Source, options?: DecodeOptions & { bitmap?: false }): Promise<Picture>;
export function decodeInWorker(source: Source, options: DecodeOptions & { bitmap: true }): Promise<Bitmap>;
export function decodeInWorker(source: Source, options: DecodeOptions): Promise<Picture | Bitmap>;

/**
 * Decodes a file, such as a response, while its bytes arrive, and paints a canvas, which gets the size of the image. If the file is an
 * animation, the first frame is decoded when all bytes have arrived, and `onRows` is called once.
 */
export function decodeStream(
  source: Source,
  options?: Limits & { canvas?: Host<"HTMLCanvasElement"> | Host<"OffscreenCanvas">; onRows?(rows: Rows): void }
): Promise<Picture>;

/**
 * Converts a file to a PNG, an animation to an animated PNG. The pixels are stored uncompressed. Rejects with the same
 * errors as `decode`.
 */
export function toPNG(source: Source, options?: Limits): Promise<Host<"Blob", object>>;

export interface Frame {
  readonly index: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The complete canvas. */
  readonly image: Picture;
}

/** The frames of an animation, composed when they are requested. */
export class WebPAnimation implements Iterable<Frame> {
  private constructor();
  /** The bytes must not change until the promise is settled. */
  static open(source: Source, options?: Limits): Promise<WebPAnimation>;
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  /** The number of times that the animation is played. 0 means forever. */
  readonly loopCount: number;
  /** Returns the next frame, or null after the last one. */
  next(): Frame | null;
  /** Returns the frame at `index`; `next` continues after it. */
  frame(index: number): Frame | null;
  /** Iterates over all frames. The position is shared with `next` and other iterators. */
  [Symbol.iterator](): Iterator<Frame>;
  /** Releases the memory. Afterwards the other methods throw a WebPError. */
  close(): void;
}

/** Resolves to whether the browser itself shows WebP, or to undefined if the page's policy forbids the test. */
export function isSupported(): Promise<boolean | undefined>;

export interface PolyfillOptions extends Limits {
  /** True to convert images even if the browser itself shows WebP. */
  force?: boolean;
  /**
   * Returns whether an address belongs to a WebP. By default, addresses that end in .webp do. Other images are checked
   * if the browser fails to show them.
   */
  matches?(url: string): boolean;
  /** The duration of the fade-in, in milliseconds, or 0 for none, as by default and if the user prefers less motion. */
  fade?: number;
  /**
   * The least time before the first and between two updates of an image that is still loading, in milliseconds. 150 by
   * default.
   */
  interval?: number;
  /**
   * The size of the cache of converted images, in bytes. 16 MiB by default. Images of style sheets, and of `style`
   * attributes in the document, are retained in addition.
   */
  cacheBytes?: number;
  /**
   * The pixels that the images of the page may have together. 2²⁶ by default. Further images keep their size, but may have only
   * the pixels that the screen shows, and animations only their first frame, until there is room.
   */
  shownPixels?: number;
  /** The time without work after which the worker ends and releases its memory, in milliseconds. 10000 by default. */
  idle?: number;
  /** Called for each image that cannot be converted, and without `url` if no image can be converted. */
  onError?(error: Error, url?: string): void;
}

export interface PolyfillResult {
  /**
   * "active": images are converted. "unneeded": the browser shows WebP, there is no document, or the page's policy
   * forbids the test. "failed": nothing can be
   * converted, because there is no WebAssembly, or the page's policy forbids it or object URLs; `error` has the reason,
   * which is also written to the console. "active" becomes "failed" if the worker does not answer within 30 seconds,
   * or if it or the decoder's module has another version than the script.
   */
  readonly status: "active" | "unneeded" | "failed";
  readonly error: WebPError | null;
  /** Stops. Images that are shown remain. */
  stop(): void;
}

/**
 * Shows WebP in a browser that does not. It never rejects. Until the result's `stop()`, further calls have the same result,
 * and their options have no effect.
 */
export function polyfill(options?: PolyfillOptions): Promise<PolyfillResult>;
