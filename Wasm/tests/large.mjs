// Prints the memory of the module, in bytes, that the decoder needs for a file: node tests/large.mjs FILE
import { readFileSync } from "node:fs";
import { codec } from "./support.mjs";

const decoder = await codec("pure-webp-simd");
const { width, height } = decoder.decode(readFileSync(process.argv[2]));
console.log(width, height, decoder.exports.memory.buffer.byteLength);
