import { isWebP, joined } from "./bytes.js";

/** Returns the reader of a response's body. Firefox before 65 has no streams: there all bytes are one piece. */
export function readerOf(response) {
  if (response.body && response.body.getReader) return response.body.getReader();
  let done = false;
  return {
    async read() {
      if (done) return { done };
      done = true;
      return { done: false, value: new Uint8Array(await response.arrayBuffer()) };
    },
    async cancel() {},
  };
}

/**
 * Fetches a file. The browser may have cached a response to a request of an image, which the server does not permit
 * scripts to read. In this case, the file is requested again.
 */
export function request(url, credentials) {
  return fetch(url, { credentials }).catch(() => fetch(url, { credentials, cache: "reload" }));
}

/** Reads the bytes that identify a WebP file, or all bytes of a shorter file. */
export async function startOf(reader) {
  let start = new Uint8Array(0);
  while (start.length < 12) {
    const { done, value } = await reader.read();
    if (done) break;
    start = joined([start, value]);
  }
  return start;
}

/** A file that is fetched, and read piece by piece. It can be opened again. */
export class Source {
  constructor(url, credentials) {
    this.url = url;
    this.credentials = credentials;
  }

  async open() {
    this.cancel();
    const response = await request(this.url, this.credentials);
    this.reader = readerOf(response);
    if (this.isClosed) this.cancel();
    if (!response.ok) throw new Error(this.url + ": " + response.status);
  }

  /** Returns the next piece, or undefined after the last one. */
  async read() {
    return (await this.reader.read()).value;
  }

  cancel() {
    if (this.reader) this.reader.cancel().catch(() => {});
  }

  /** Stops the download. */
  close() {
    this.isClosed = true;
    this.cancel();
  }
}

/** Resolves to whether a file begins like WebP, or to undefined if it has too few bytes or cannot be read. */
export async function isWebPAt(url, credentials) {
  const source = new Source(url, credentials);
  try {
    await source.open();
    return isWebP(await startOf(source.reader));
  } catch (error) {
    return undefined;
  } finally {
    source.close();
  }
}
