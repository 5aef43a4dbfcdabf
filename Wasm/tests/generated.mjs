// Proves that both modules decode random and corrupt files, in one call and incrementally.
// Expected values: the results of the library.
//
//     ../Conformance/run samples 2000 | node tests/generated.mjs
import { readFileSync } from "node:fs";
import { codec, core, streamed, verdict } from "./support.mjs";

const samples = readFileSync(0);

/** Standard input, piece by piece. */
function* pieces() {
  for (let at = 0; at < samples.length;) {
    const end = at + 4 + samples.readUInt32LE(at);
    yield samples.subarray(at + 4, end);
    at = end;
  }
}

let failures = 0;
for (const name of ["pure-webp-simd", "pure-webp"]) {
  let decoder = await codec(name);
  const all = pieces();
  let [files, streams] = [0, 0];
  for (const file of all) {
    const wanted = all.next().value.toString();
    const ways = { whole: () => decoder.decode(file) };
    if (wanted.includes(",") && !core.isAnimated(file)) ways.streamed = () => streamed(decoder, file);
    for (const [way, decode] of Object.entries(ways)) {
      const found = verdict(decode);
      if (way === "streamed") streams += 1;
      if (found !== wanted) {
        failures += 1;
        console.log(`${name}: file ${files}, ${way}: ${found} instead of ${wanted}`);
      }
      if (decoder.isBroken) decoder = await codec(name);
    }
    files += 1;
  }
  console.log(`${name}: ${files} generated and damaged files, ${streams} of them in pieces, too`);
  if (files === 0) failures += 1;
}
process.exitCode = failures ? 1 : 0;
