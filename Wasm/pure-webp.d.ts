/** Why a file could not be decoded. */
export class WebPError extends Error {
  constructor(kind: WebPError["kind"], message: string, offset: number, status: number);
  readonly kind: "notWebP" | "truncated" | "corrupt" | "unsupported" | "limitExceeded" | "invalidOptions";
  /** Where in the bytes the error was found; −1: not told. */
  readonly offset: number;
  /** The number that libwebp's VP8StatusCode has for it. */
  readonly status: number;
}

type Bytes = ArrayBuffer | ArrayBufferView;

/** What a class makes that the host may have; there are hosts without pages. */
type Host<Name extends string, Otherwise = never> =
  typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : Otherwise;

/** R G B A, not premultiplied. An `ImageData` where there is such a thing, otherwise (Node) an object like it. */
type Picture = Host<"ImageData", { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray }>;

/** Rows of a picture that have just been finished. */
export interface Rows {
  /** Of the whole picture. */
  readonly width: number;
  /** Of the whole picture. */
  readonly height: number;
  /** The first of the rows. */
  readonly y: number;
  /** How many there are. */
  readonly rows: number;
  /** R G B A of these rows. */
  readonly data: Uint8ClampedArray;
}

/**
 * Decodes a file; of an animation, the first frame. Rejects with a WebPError, or a TypeError for what are no bytes, or
 * what the host has where the decoder's module is not found or not allowed. The bytes have to stay as they are until the
 * promise is settled: while the decoder is loaded there is no copy of them.
 */
export function decode(bytes: Bytes): Promise<Picture>;

/**
 * Decodes a response while its bytes come, painting a canvas, which is given the picture's size, if there is one. Of an
 * animation, the first frame, when all bytes are there: `onRows` is called once.
 */
export function decodeStream(
  response: Host<"Response", { arrayBuffer(): Promise<ArrayBuffer> }>,
  options?: { canvas?: Host<"HTMLCanvasElement"> | Host<"OffscreenCanvas">; onRows?(rows: Rows): void }
): Promise<Picture>;

export interface Frame {
  readonly index: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The whole canvas. */
  readonly image: Picture;
}

/** The frames of an animation, composed when they are asked for. An error is that of one call. */
export class WebPAnimation implements Iterable<Frame> {
  private constructor();
  /** The bytes have to stay as they are until the promise is settled. */
  static open(bytes: Bytes): Promise<WebPAnimation>;
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  /** 0: for ever. */
  readonly loopCount: number;
  /** The next frame, or null behind the last one. */
  next(): Frame | null;
  /** The frame at `index`; `next` goes on behind it. */
  frame(index: number): Frame | null;
  /** From the first frame on; `next` and other iterators go on where this one is. */
  [Symbol.iterator](): Iterator<Frame>;
  /** Gives the memory back. The other methods throw a WebPError from then on. */
  close(): void;
}

/** Whether the browser shows WebP by itself. */
export function isSupported(): Promise<boolean>;

export interface PolyfillOptions {
  /** Also where the browser shows WebP by itself. */
  force?: boolean;
  /** Which addresses are WebP: by default those that end in .webp. Images that the browser fails to show are looked into. */
  matches?(url: string): boolean;
  /** How long pictures fade in, in milliseconds: 200 unless set; 0, or where the user wants less motion: not at all. */
  fade?: number;
  /** The least time between two states of a picture that is still coming, in milliseconds: 150 unless set. */
  interval?: number;
  /**
   * How many bytes of converted pictures are kept: 64 MiB unless set. Those that style sheets use, or `style` attributes
   * in the document, always are.
   */
  cacheBytes?: number;
  /** After how many milliseconds without work the worker ends, and gives its memory back: 10000 unless set. */
  idle?: number;
  /** What is watched: the document unless set. Style sheets are the document's in any case. */
  root?: Host<"Document"> | Host<"Element">;
}

/**
 * Shows WebP in a browser that does not. Resolves to null where there is nothing to do, as in Node, or nothing that can
 * be done: where the page's policy allows images no object URLs. After `stop` what is shown remains, and nothing more is.
 */
export function polyfill(options?: PolyfillOptions): Promise<{ stop(): void } | null>;
