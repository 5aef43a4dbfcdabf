// Proves that both modules decode every vector, unchanged and corrupt, in one call and incrementally.
// Expected values: libwebp's CRC-32 of R G B A, or its error, in Conformance/references.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { codec, conformance, core, hexadecimal, streamed, table, vector, verdict, verdicts } from "./support.mjs";

function expected([, verdict, width, height, , rgba]) {
  return rgba === "-" ? verdict : `${width} x ${height}, ${rgba}`;
}

let failures = 0;
async function check(name, what, rows, read) {
  let [files, streams] = [0, 0];
  let decoder = await codec(name);
  for (const row of rows) {
    const file = read(row[0]);
    const wanted = expected(row);
    const ways = { whole: () => decoder.decode(file) };
    if (row[1] === "ok" && !core.isAnimated(file)) ways.streamed = () => streamed(decoder, file);
    for (const [way, decode] of Object.entries(ways)) {
      const found = verdict(decode);
      if (way === "streamed") streams += 1;
      // libwebp's still decoder rejects every animation. This decoder returns the first frame, or an error if there is
      // none.
      const isRight = wanted === "unsupported-feature" ? verdicts.indexOf(found) > 0 : found === wanted;
      if (!isRight) {
        failures += 1;
        console.log(`${name}: ${row[0]}, ${way}: ${found} instead of ${wanted}`);
      }
      if (decoder.isBroken) decoder = await codec(name);
    }
    files += 1;
  }
  console.log(`${name}: ${files} ${what}, ${streams} of them in pieces, too`);
}

/** Compares corrupted files: the CRC-32, or the number of libwebp's status. */
async function checkDamaged(name, cases) {
  let decoder = await codec(name);
  let count = 0;
  for (const { what, wanted, file } of cases) {
    if (wanted === "-") continue; // too large, or an animation
    let found;
    try {
      found = hexadecimal(crc32(decoder.decode(file).data));
    } catch (error) {
      if (!(error instanceof core.WebPError)) throw error;
      found = decoder.isBroken ? error.message : String(error.status);
    }
    if (found !== wanted) {
      failures += 1;
      console.log(`${name}: ${what}: ${found} instead of ${wanted}`);
    }
    if (decoder.isBroken) decoder = await codec(name);
    count += 1;
  }
  console.log(`${name}: ${count} damaged files`);
}

function* damaged() {
  const files = execFileSync("python3", [new URL("damaged.py", import.meta.url).pathname], { maxBuffer: 1 << 28 });
  let at = 0;
  for (const [vector, ...wanted] of table("references/damage.tsv")) {
    for (const [number, each] of wanted.entries()) {
      const end = at + 4 + files.readUInt32LE(at);
      yield { what: `${vector}, damage ${number}`, wanted: each, file: files.subarray(at + 4, end) };
      at = end;
    }
  }
}

const damage = [...damaged()];
const testData = process.env.WEBP_TEST_DATA || new URL("../../libwebp-test-data", conformance).pathname;
for (const name of ["pure-webp-simd", "pure-webp"]) {
  await check(name, "vectors", table("references/vectors.tsv"), vector);
  await checkDamaged(name, damage);
  if (existsSync(testData)) {
    await check(
      name, "files of libwebp-test-data", table("references/libwebp-test-data.tsv"),
      file => readFileSync(`${testData}/${file}`));
  }
}
console.log(failures ? `${failures} answers differ` : "all as libwebp");
process.exitCode = failures ? 1 : 0;
