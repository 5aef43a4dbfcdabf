// Shared by the tests: the core, and the reference tables.
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import "../dist/pure-webp.js";

export const core = globalThis.PureWebPCore;
export const wasm = new URL("../", import.meta.url);
export const conformance = new URL("../../Conformance/", import.meta.url);

/** Returns a separate instance of one of the two modules. */
export async function codec(name) {
  const module = new WebAssembly.Module(readFileSync(new URL(`dist/${name}.wasm`, wasm)));
  if (WebAssembly.Module.imports(module).length) throw new Error(`${name} imports something`);
  return new core.Codec(await WebAssembly.instantiate(module, {}));
}

/** Returns the fields of each line of a table after its header. */
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

/** Returns the verdict of a decoding function in the terms of the tables. */
export function verdict(decode) {
  try {
    const { width, height, data } = decode();
    return `${width} x ${height}, ${hexadecimal(crc32(data))}`;
  } catch (error) {
    if (!(error instanceof core.WebPError)) throw error;
    if (error.message.includes("stopped")) return error.message;
    return error.kind === "limitExceeded" ? "limit" : verdicts[error.status];
  }
}

/** Decodes a file in pieces of increasing size. */
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
