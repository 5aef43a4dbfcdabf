// Shared by the tests: the core without the polyfill, and the reference tables.
import { readFileSync } from "node:fs";
import "../dist/pure-webp-core.js";

export const core = globalThis.PureWebPCore;
export const wasm = new URL("../", import.meta.url);
export const conformance = new URL("../../Conformance/", import.meta.url);

/** A decoder of its own, from one of the two modules. */
export async function codec(name) {
  const module = new WebAssembly.Module(readFileSync(new URL(`dist/${name}.wasm`, wasm)));
  if (WebAssembly.Module.imports(module).length) throw new Error(`${name} imports something`);
  return new core.Codec(await WebAssembly.instantiate(module, {}));
}

/** The lines of a table below its heading, by fields. */
export function table(path) {
  const lines = readFileSync(new URL(path, conformance), "utf8").trimEnd().split("\n");
  return lines.slice(1).map(line => line.split("\t"));
}

export const vector = name => readFileSync(new URL(`vectors/${name}`, conformance));
export const hexadecimal = sum => sum.toString(16).padStart(8, "0");

export const verdicts = [
  "ok", "out-of-memory", "invalid-param", "bitstream-error", "unsupported-feature", "suspended", "user-abort",
  "not-enough-data",
];

/** The verdict on a file in the terms of the tables, by one way of decoding. */
export function verdict(decode) {
  try {
    const { width, height, data } = decode();
    return `${width} x ${height}, ${hexadecimal(core.crc32(data))}`;
  } catch (error) {
    if (!(error instanceof core.WebPError)) throw error;
    if (error.message.includes("stopped")) return error.message;
    return error.kind === "limitExceeded" ? "limit" : verdicts[error.status];
  }
}

/** In pieces that grow, as over a network that awakes. */
export function streamed(codec, file) {
  const stream = codec.stream();
  try {
    for (let at = 0, size = 1; at < file.length; at += size, size += 1 + (size >> 1)) {
      stream.append(file.subarray(at, at + size));
    }
    stream.finish();
    return stream.image();
  } finally {
    stream.close();
  }
}
