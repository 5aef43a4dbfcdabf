// Prints a line for each animation: module, file, loop count, and the CRC-32 and duration of every frame; and a line for
// the animated PNG that the module converts it to. --png writes the PNGs to a folder.
//
//     node tests/frames.mjs [--png FOLDER] FILE...
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { codec, core, hexadecimal } from "./support.mjs";

const files = process.argv.slice(2);
const folder = files[0] === "--png" ? files.splice(0, 2)[1] : null;
for (const name of ["pure-webp-simd", "pure-webp"]) {
  const decoder = await codec(name);
  for (const file of files) {
    const bytes = readFileSync(file);
    const line = [name, file];
    try {
      const animation = decoder.animation(bytes);
      line.push(animation.loopCount);
      try {
        for (let frame = animation.nextFrame(); frame; frame = animation.nextFrame()) {
          line.push(`${hexadecimal(crc32(frame.data))}/${frame.duration}`);
        }
      } finally {
        animation.close();
      }
      if (folder) {
        const parts = [];
        const transcoder = new core.Transcoder(decoder, part => parts.push(part));
        transcoder.append(bytes);
        await transcoder.finish();
        transcoder.close();
        writeFileSync(`${folder}/${basename(file, ".webp")}.png`, core.joined(parts));
      }
    } catch (error) {
      if (!(error instanceof core.WebPError)) throw error;
      line.push(error.kind);
    }
    console.log(line.join("\t"));
  }
}
