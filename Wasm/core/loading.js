import { Codec } from "./Codec.js";
import { WebPError, unavailable } from "./WebPError.js";

/** The version of the script. Wasm/build-scripts replaces the text. */
export const version = "PACKAGE_VERSION";

/** Adds the version to an address, so that a cache has no older file for it. Other schemes have no queries. */
export const versioned = ({ href }) => /^http/.test(href) ? href + "?" + version : href;

/** The global PureWebPCore. Other scripts set these properties; pure-webp-core.js adds the functions. */
export const core = {
  /** Returns the address of the module with or without vector instructions. In a worker, it is in the folder of the script. */
  locate: simd => new URL(simd ? "pure-webp-simd.wasm" : "pure-webp.wasm", location.href),
  /** A compiled module, or the address of one. If undefined, `locate` returns the address. */
  wasm: undefined,
  /** True to use vector instructions. Set it before the first use. If undefined, they are used if the host has them. */
  simd: undefined,
};

/** Returns whether the host has vector instructions: validates a module of one function that uses them. */
const hasSIMD = () =>
  WebAssembly.validate(
    new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
    ]));

let compiled;
const renewals = [];

/** Returns a decoder. Concurrent calls load it only once. */
export async function load(isLarge) {
  const index = isLarge ? 1 : 0;
  const codec = Codec.current[index];
  if (codec && !codec.isBroken) return codec;
  renewals[index] = renewals[index] || renew(index).finally(() => { renewals[index] = undefined; });
  return renewals[index];
}

async function renew(index) {
  try {
    compiled = compiled || compile().then(current);
    return Codec.current[index] = new Codec(await WebAssembly.instantiate(await compiled, {}));
  } catch (error) {
    compiled = undefined;
    throw error instanceof WebPError ? error : unavailable("the decoder's module cannot be loaded: " + error.message);
  }
}

/** Returns a module. Throws if it is of another version, which Wasm/build writes into a custom section. */
function current(module) {
  const [section] = WebAssembly.Module.customSections(module, "v");
  const found = section && String.fromCharCode(...new Uint8Array(section));
  if (found === version) return module;
  throw Object.assign(unavailable(`the decoder's module has version ${found}, not ${version}`), { isStale: true });
}

/** Compiles the module from the file system or the network. */
async function compile() {
  const wasm = source();
  if (typeof wasm !== "string") return wasm;
  if (wasm.startsWith("file:") && typeof process === "object") {
    return WebAssembly.compile(process.getBuiltinModule("fs").readFileSync(new URL(wasm)));
  }
  const response = await fetch(wasm, { credentials: "same-origin" });
  if (!response.ok) throw new Error(wasm + ": " + response.status);
  // Compiles while the module arrives, if the server sends its type.
  const isTyped = /^application\/wasm *(;|$)/i.test(response.headers.get("Content-Type"));
  return WebAssembly.compileStreaming && isTyped
    ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Returns the configured module or address, or the address that the host's features select. */
export function source() {
  try {
    return core.wasm || versioned(core.locate(core.simd === undefined ? hasSIMD() : core.simd));
  } catch (error) {
    throw unavailable("the address of the decoder's module is not known here; pass it to configure({ wasm })");
  }
}
