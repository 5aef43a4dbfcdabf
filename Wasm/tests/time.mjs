// Measures both modules: node tests/time.mjs FILE... Prints the shortest of ten times, after ten decodings as a
// warm-up. The copy out of the module's memory is not included. Compare with Benchmarks/decode-bench --memory fresh.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { codec } from "./support.mjs";

/** The processor time in milliseconds, which other programs do not affect. */
const cpuTime = () => process.cpuUsage().user / 1000;

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  const line = [basename(file)];
  for (const name of ["pure-webp-simd", "pure-webp"]) {
    const decoder = await codec(name);
    let best = Infinity;
    let pixels = 0;
    for (let i = 0; i < 20; i++) {
      const start = cpuTime();
      const session = decoder.session(bytes, "webp_decode");
      const time = cpuTime() - start;
      session.check();
      if (i >= 10) best = Math.min(best, time);
      pixels = session.width * session.height;
      session.close();
    }
    line.push(`${name} ${best.toFixed(2)} ms ${(pixels / best / 1000).toFixed(1)} MP/s`);
  }
  console.log(line.join("\t"));
}
