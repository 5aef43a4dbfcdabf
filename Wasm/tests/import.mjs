// Proves that the functions of dist/pure-webp.js work in a program that Node runs.
// Expected values: the references in Conformance, and texts that are written here.
import { restore } from "./globals.mjs";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { crc32 } from "node:zlib";
import {
  WebPAnimation, WebPError, decode, decodeInWorker, decodeStream, isSupported, polyfill, toPNG,
} from "../dist/pure-webp.js";
import { codec, core, hexadecimal, table, vector } from "./support.mjs";

restore();
const references = new Map(table("references/vectors.tsv").map(row => [row[0], row[5]]));
const sum = image => hexadecimal(crc32(image.data));
const name = "encoder-pillow-animation.webp";
const still = table("references/vectors.tsv").find(row => row[0].startsWith("vp8-") && row[1] === "ok")[0];

// The package declares pure-webp.js as a module, and the files that the package names exist.
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", dist)));
assert.equal(manifest.type, "module");
const { main, types, sideEffects } = manifest;
const exported = Object.values(manifest.exports["."]).flatMap(each => Object.values(each));
for (const path of [main, types, ...sideEffects, ...exported]) {
  assert.ok(existsSync(new URL(path, dist)), path);
}
for (const name of ["description", "keywords", "license", "engines"]) assert.ok(manifest[name], name);

assert.doesNotMatch(JSON.stringify(manifest), /OWNER|TODO|example[.]/);

// Only the folder that the build makes can be packed.
for (const [folder, isBuilt] of [["../", false], ["../dist/", true]]) {
  const { status, stderr } = spawnSync(manifest.scripts.prepack, { shell: true, cwd: new URL(folder, import.meta.url), encoding: "utf8" });
  assert.deepEqual([status === 0, stderr.includes("Wasm/build")], [isBuilt, !isBuilt], stderr);
}

// The package contains every file that the build makes, except the scripts before their reduction.
const patterns = manifest.files.map(name => new RegExp(`^${name.replace(/\./g, "[.]").replace("*", ".*")}$`));
const omitted = readdirSync(dist).filter(name =>
  name !== "package.json" && name !== "readable" && !patterns.some(pattern => pattern.test(name)));
assert.deepEqual(omitted, []);

// Buffers, arrays, and views that begin somewhere in their buffer.
const file = vector(still);
const shifted = new Uint8Array(file.length + 3);
shifted.set(file, 3);
for (const bytes of [file, new Uint8Array(file), new Uint8Array(file).buffer, shifted.subarray(3)]) {
  assert.equal(sum(await decode(bytes)), references.get(still));
}

const context = new Uint8Array(runInNewContext("new ArrayBuffer(n)", { n: file.length }));
context.set(file);
assert.equal(sum(await decode(context.buffer)), references.get(still));
for (const none of ["text", undefined, null, 40, [82, 73, 70, 70]]) {
  await assert.rejects(decode(none), TypeError);
  await assert.rejects(WebPAnimation.open(none), TypeError);
}

// `require` has the same exports, also in a folder whose name has characters with a meaning in addresses.
{
  const folder = mkdtempSync(join(tmpdir(), "a b?c#d%20e-"));
  for (const name of ["pure-webp.cjs", "pure-webp-simd.wasm", "pure-webp.wasm"]) {
    copyFileSync(new URL(name, dist), join(folder, name));
  }
  const required = createRequire(import.meta.url)(join(folder, "pure-webp.cjs"));
  assert.deepEqual(Object.keys(required).sort(), Object.keys(await import("../dist/pure-webp.js")).sort());
  assert.equal(sum(await required.decode(file)), references.get(still));
  rmSync(folder, { recursive: true });
}

// Blobs and responses; in a worker, or in Node, which has no web workers, in this thread.
for (const how of [decode, decodeInWorker]) {
  for (const source of [file, new Blob([file]), new Response(file), new Response(file).body, Promise.resolve(file)]) {
    assert.equal(sum(await how(source)), references.get(still));
  }
  await assert.rejects(how(new Response("none", { status: 404 })), { kind: "notWebP", message: /404/ });
  await assert.rejects(how(null), /null/);
  await assert.rejects(how(new Blob(["text"])), { kind: "notWebP" });
  await assert.rejects(how("text"), TypeError);
}

for (const source of [file, new Blob([file]), new Response(file).body, Promise.resolve(new Response(file))]) {
  assert.equal(sum(await decodeStream(source)), references.get(still));
}
await assert.rejects(decodeStream(new Response("none", { status: 404 })), { kind: "notWebP", message: /404/ });
await assert.rejects(decodeStream(new Response("no image at all, but text", { status: 500 })), { message: /500/ });
await assert.rejects(decodeStream(null), /null/);
await assert.rejects(toPNG(null), /null/);

for (const source of [new Blob([vector(name)]), Promise.resolve(new Response(vector(name)))]) {
  (await WebPAnimation.open(source)).close();
}
assert.equal((await toPNG(new Blob([file]))).type, "image/png");

// A signal ends the wait for a response, before and during the download.
for (const how of [decode, decodeInWorker]) {
  const reason = new Error("stop");
  await assert.rejects(how(file, { signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const endless = how(new Response(new ReadableStream()), { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 10);
  await assert.rejects(endless, reason);
}

// Limits.
const { width, height } = await decode(file);
const stream = (bytes, options) => decodeStream(new Response(bytes), options);
const openAnimation = async (bytes, options) => (await WebPAnimation.open(bytes, options)).close();
for (const how of [decode, decodeInWorker, stream, toPNG, openAnimation]) {
  await how(file, { maximumPixels: width * height });
  const tooSmall = { unrestrictedPixels: 1, maximumPixelsPerByte: 0 };
  await assert.rejects(how(file, { maximumPixels: width * height - 1 }), { kind: "limitExceeded" });
  await assert.rejects(how(file, tooSmall), { kind: "limitExceeded" });
  await assert.rejects(how(file, { maximumPixels: "many" }), { kind: "invalidOptions" });
  await how(file, { maximumPixels: Infinity, unrestrictedPixels: 2 ** 40 });
}

// A response that arrives in pieces: the reported rows are the rows of the image.
const photo = readFileSync(new URL("../../Benchmarks/Small/photo-q98.webp", import.meta.url));
const pieces = new ReadableStream({
  start(controller) {
    for (let at = 0; at < photo.length; at += 1000) controller.enqueue(photo.subarray(at, at + 1000));
    controller.close();
  },
});
const parts = [];
const streamed = await decodeStream(new Response(pieces), { onRows: rows => parts.push(rows) });
const whole = await decode(photo);
assert.deepEqual(streamed.data, whole.data);
assert.ok(parts.length > 10);
assert.equal(parts.reduce((next, { y, rows }) => (assert.equal(y, next), y + rows), 0), whole.height);
assert.deepEqual(core.joined(parts.map(({ data }) => data)), new Uint8Array(whole.data.buffer));

// All rows of an animation are reported in one call.
const rows = [];
const first = await decodeStream(new Response(vector(name)), { onRows: part => rows.push(part) });
assert.equal(sum(first), references.get(name));
assert.deepEqual(rows, [{ width: first.width, height: first.height, y: 0, rows: first.height, data: first.data }]);

// The bytes of an animation are copied at most a few times, independently of the number of pieces.
let copied = 0;
Uint8Array.prototype.set = function (bytes, ...at) {
  copied += bytes.length;
  return Object.getPrototypeOf(Uint8Array.prototype).set.call(this, bytes, ...at);
};
const bytewise = new ReadableStream({
  start(controller) {
    for (const byte of vector(name)) controller.enqueue(Uint8Array.of(byte));
    controller.close();
  },
});
assert.equal(sum(await decodeStream(new Response(bytewise))), references.get(name));
delete Uint8Array.prototype.set;
assert.ok(copied < 3 * vector(name).length + 1000, copied);

// The frames of an animation: in order, a second time, and by index.
const animation = await WebPAnimation.open(vector(name));
const sums = [...animation].map(({ image }) => sum(image));
assert.equal(sums.length, animation.frameCount);
assert.equal(sums[0], references.get(name));
assert.ok(new Set(sums).size > 1);
assert.deepEqual([...animation].map(({ image }) => sum(image)), sums);
assert.equal(sum(animation.frame(2).image), sums[2]);
assert.equal(animation.next(), null);

// After a call has failed, the other frames can still be requested.
assert.throws(() => animation.frame(99), { kind: "invalidOptions" });
assert.equal(animation.next(), null);
assert.equal(sum(animation.frame(0).image), sums[0]);
assert.throws(() => animation.frame(3), { kind: "invalidOptions" });
assert.equal(sum(animation.next().image), sums[1]);
assert.deepEqual([...animation].map(({ image }) => sum(image)), sums);
animation.close();

const damaged = await WebPAnimation.open(vector("animation-third-frame-broken.webp"));
const row = table("references/animations.tsv").find(([file]) => file === "animation-third-frame-broken.webp");
const good = row.slice(7).map(frame => frame.split(":")[1]).filter(Boolean);
assert.equal(good.length, 2);
for (let i = 0; i < 2; i++) {
  assert.deepEqual(good.map(() => sum(damaged.next().image)), good);
  assert.throws(() => damaged.next(), { kind: "truncated" });
  assert.throws(() => damaged.next(), { kind: "truncated" });
  assert.equal(sum(damaged.frame(1).image), good[1]);
  assert.equal(sum(damaged.frame(0).image), good[0]);
  damaged.session.seek(0);
}
damaged.close();

// A closed animation remains closed, although another one may be at its address in the module's memory.
const other = await WebPAnimation.open(vector(name));
animation.close();
assert.deepEqual([...other].map(({ image }) => sum(image)), sums);
for (const use of [() => animation.next(), () => animation.frame(0), () => [...animation]]) {
  assert.throws(use, { name: "WebPError", kind: "invalidOptions" });
}
assert.equal(sum(other.frame(1).image), sums[1]);
assert.equal(other.session.codec.sessions, 1);
other.close();
other.close();
assert.equal(other.session.codec.sessions, 0);
const session = other.session.codec.stream();
session.close();
for (const use of [() => session.append(file), () => session.finish(), () => session.width]) {
  assert.throws(use, { name: "WebPError", kind: "invalidOptions" });
}
assert.equal(sum(await decode(file)), references.get(still));

// Errors have a kind and an offset.
await assert.rejects(decode(new Uint8Array(40)), { name: "WebPError", kind: "notWebP" });
await assert.rejects(decode(photo.subarray(0, 9000)), error =>
  error instanceof WebPError && error.kind === "truncated" && error.offset === 9000);
await assert.rejects(decodeStream(new Response(photo.subarray(0, 9000))), { kind: "truncated" });
assert.equal(await isSupported(), false);

// After an error of the decoder or of the caller, the rest is not downloaded.
for (const [bytes, onRows] of [[new Uint8Array(40)], [photo.subarray(0, 9000), () => { throw new Error("enough"); }]]) {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull(controller) { controller.enqueue(bytes); },
    cancel() { isCancelled = true; },
  });
  await assert.rejects(decodeStream(new Response(endless), { onRows }));
  assert.ok(isCancelled);
}

// Without a page, the polyfill is unneeded.
for (const options of [{}, { force: true }]) assert.equal((await polyfill(options)).status, "unneeded");

// Requests for the decoder at the same time create one instance.
const { instantiate } = WebAssembly;
let instances = 0;
WebAssembly.instantiate = (...values) => (instances += 1, instantiate(...values));
other.session.codec.isBroken = true; // so that it is loaded again
const renewed = await Promise.all(Array.from({ length: 50 }, () => decode(file)));
assert.deepEqual(new Set(renewed.map(sum)), new Set([references.get(still)]));
assert.equal(instances, 1);

// Bytes are read while the decoder is loaded, because it may wait for the connection by which they arrive.
{
  let read;
  const isRead = new Promise(done => { read = done; });
  WebAssembly.instantiate = (...values) => isRead.then(() => instantiate(...values));
  const { session } = await WebPAnimation.open(vector(name));
  session.codec.isBroken = true; // so that it is loaded again
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(photo);
      controller.close();
      read();
    },
  }, { highWaterMark: 0 });
  assert.deepEqual((await decodeStream(new Response(body))).data, whole.data);
}

// If the decoder cannot be loaded, reading ends.
{
  const { session } = await WebPAnimation.open(vector(name));
  session.codec.isBroken = true;
  let pulls = 0;
  let cancel;
  const isCancelled = new Promise(done => { cancel = done; });
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      controller.enqueue(photo.subarray(0, 100));
      pulls += 1;
      if (pulls === 1000) controller.close();
    },
    cancel,
  }, { highWaterMark: 0 });
  const response = new Response(body);
  // Node's own parser of HTTP is also a WebAssembly module.
  WebAssembly.instantiate = (module, imports) =>
    imports.env ? instantiate(module, imports) : Promise.reject(new Error("forbidden"));
  await assert.rejects(decodeStream(response), /forbidden/);
  await isCancelled;
  assert.ok(pulls < 1000);
}
WebAssembly.instantiate = instantiate;

// Addresses above 2 GiB, which arrive as negative numbers.
for (const name of ["pure-webp-simd", "pure-webp"]) {
  const high = await codec(name);
  high.exports.memory.grow(0x8000);
  assert.equal(sum(high.decode(file)), references.get(still));
  high.lend(file, address => assert.ok(address > 0x80000000));
  assert.equal(high.isBroken, false);
}

/** Converts as the page does: the source is closed after the answer. */
async function convert(job, answer, source = new core.Source(() => core.request("photo"))) {
  try {
    await source.open();
  } catch (error) {
    source.close();
    return answer({ error });
  }
  await core.convert(job, source, message => {
    if (!message.part) source.close();
    answer(message);
  });
}

// Four images are decoded at the same time. Stalled ones do not delay others, and canceled ones are not downloaded.
{
  const { fetch, setTimeout } = globalThis;
  core.wasm = new URL("pure-webp-simd.wasm", dist).href;
  const codec = await core.load();
  let most = 0;
  let isCancelled = false;
  const job = { interval: 0 };
  const last = new core.Source(() => core.request("photo"));
  globalThis.setTimeout = (use, time) => setTimeout(use, Math.min(time, 50));
  const goOn = [];
  const stalled = [0, 1, 2, 3].map(id => {
    globalThis.fetch = async () => new Response(new ReadableStream({
      start(controller) {
        controller.enqueue(photo.subarray(0, 5000));
        goOn.push(() => {
          if (!id) return controller.error(new Error("lost"));
          controller.enqueue(photo.subarray(5000));
          controller.close();
        });
      },
    }));
    return new Promise(done => convert(Object.assign({ id }, job), answer => answer.part || done(answer)));
  });
  globalThis.fetch = async () => new Response(photo);
  assert.ok((await new Promise(done => convert(job, answer => answer.part || done(answer)))).done);
  goOn.forEach(go => go());
  const [lost, ...others] = await Promise.all(stalled);
  assert.equal(lost.error.message, "lost");
  assert.ok(others.every(({ done }) => done));
  globalThis.setTimeout = setTimeout;
  globalThis.fetch = async () => {
    let at = 0;
    return new Response(new ReadableStream({
      pull(controller) {
        most = Math.max(most, codec.sessions);
        controller.enqueue(photo.subarray(at, at += 5000));
        if (at >= photo.length) controller.close();
      },
      cancel() { isCancelled = last.isClosed; },
    }));
  };
  const answers = [];
  const jobs = Array.from({ length: 20 }, (_, id) => Object.assign({ id }, job));
  await Promise.all(jobs.map(job => convert(job, answer => answers.push(answer))));
  assert.equal(new Set(answers.filter(({ done }) => done).map(({ id }) => id)).size, 20);
  assert.equal(most, 4);
  answers.length = 0;
  await convert(job, answer => {
    answers.push(answer);
    last.close(); // with the first rows
  }, last);
  assert.deepEqual(answers.map(({ part, error }) => !!part || error.message), [true, "stopped"]);
  assert.ok(isCancelled);
  // Images that load fast have no parts; images that stop have one after the interval.
  answers.length = 0;
  await convert(Object.assign({}, job, { interval: 60000 }), answer => answers.push(answer));
  assert.deepEqual(answers.map(Object.keys), [["id", "done"]]);
  let end;
  globalThis.fetch = async () => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(photo.subarray(0, 9000));
      end = () => controller.close();
    },
  }));
  answers.length = 0;
  await convert(Object.assign({}, job, { interval: 50 }), answer => {
    answers.push(answer);
    if (answer.part) end();
  });
  assert.deepEqual(answers.map(Object.keys), [["id", "part"], ["id", "done"]]);
  assert.equal(codec.sessions, 0);
  globalThis.fetch = fetch;
}

// The body of an error response that is no image is not downloaded, nor a file if there is no decoder.
for (const [status, hasDecoder] of [[404, true], [200, false]]) {
  const { fetch } = globalThis;
  if (!hasDecoder) {
    (await core.load()).isBroken = true; // so that it is loaded again
    WebAssembly.instantiate = () => Promise.reject(new Error("forbidden"));
  }
  let isCancelled = false;
  globalThis.fetch = async () => new Response(new ReadableStream({
    pull(controller) { controller.enqueue(hasDecoder ? new Uint8Array(5000) : photo.subarray(0, 5000)); },
    cancel() { isCancelled = true; },
  }), { status });
  const job = { interval: 0 };
  const { error } = await new Promise(done => convert(job, done));
  assert.match(error.message, hasDecoder ? /404/ : /forbidden/);
  assert.ok(isCancelled);
  WebAssembly.instantiate = instantiate;
  globalThis.fetch = fetch;
}

// The size in the start of a file is the decoder's.
for (const row of table("references/vectors.tsv").filter(([, result]) => result === "ok")) {
  const bytes = vector(row[0]);
  const { width, height } = await decode(bytes);
  const found = core.pixelsOf(bytes.subarray(0, 30));
  assert.equal(found, Number.isFinite(found) ? width * height : Infinity, row[0]);
}

// A large image is decoded while small ones wait for their bytes. Of the images that wait for a turn, visible ones are first,
// and then small ones.
{
  const sources = (size, visible, count) => Array.from({ length: count }, () => {
    const start = Buffer.alloc(30);
    start.write("RIFF\0\0\0\0WEBPVP8X");
    start.writeUIntLE(size - 1, 24, 3);
    start.writeUIntLE(size - 1, 27, 3);
    const stalled = new ReadableStream({ start(controller) { controller.enqueue(start); } });
    return new core.Source(async () => new Response(stalled), () => visible);
  });
  const order = [];
  const begin = async (name, source) => {
    await source.open();
    await source.read().then(() => order.push(name), () => {});
    return source;
  };
  const small = sources(100, true, 4);
  const large = sources(8000, true, 2);
  await Promise.all([...small, large[0]].map(source => begin("first", source)));
  assert.equal(order.length, 5);
  const [hidden, medium, smallest, closed] = [sources(100, false, 1)[0], ...sources(200, true, 1), ...sources(100, true, 2)];
  const waiting = [["hidden", hidden], ["medium", medium], ["smallest", smallest], ["closed", closed], ["large", large[1]]]
    .map(each => begin(...each));
  await new Promise(go => setTimeout(go));
  assert.equal(order.length, 5);
  closed.close();
  for (const source of small) source.close();
  await Promise.all(waiting.slice(0, 4));
  assert.deepEqual(order.slice(5), ["smallest", "medium", "hidden"]);
  large[0].close();
  await Promise.all(waiting);
  assert.equal(order[8], "large");
  for (const source of [hidden, medium, smallest, large[1]]) source.close();
}

// An image that has more pixels than the page permits: its sides are divided. Expected values: means of the pixels, weighted by
// alpha, in exact arithmetic.
{
  const pixels = Uint8Array.from({ length: 4 * 5 * 3 }, (_, index) => index % 4 === 3 ? [0, 255, 128][index % 3] : 37 * index % 256);
  const [found, stride, rows] = core.reduced(pixels, 5, 3, 2);
  assert.deepEqual([stride, rows], [12, 2]);
  for (let y = 0; y < 2; y++) {
    for (let x = 0; x < 3; x++) {
      const block = [];
      for (let row = 2 * y; row < Math.min(2 * y + 2, 3); row++) {
        for (let column = 2 * x; column < Math.min(2 * x + 2, 5); column++) {
          const at = 4 * (5 * row + column);
          block.push(pixels.subarray(at, at + 4));
        }
      }
      const alpha = block.reduce((sum, pixel) => sum + pixel[3], 0);
      const mean = channel => alpha && block.reduce((sum, pixel) => sum + pixel[channel] * pixel[3], 0) / alpha;
      [mean(0), mean(1), mean(2), alpha / block.length].forEach((value, channel) =>
        assert.ok(Math.abs(found[stride * y + 4 * x + channel] - value) <= 0.5, [x, y, channel]));
    }
  }
  assert.deepEqual([core.factorFor(100, 100), core.factorFor(100, 100, 2500), core.factorFor(100, 99, 2499)], [1, 2, 3]);
  for (const [most, size, width] of [[undefined, undefined, 320], [320 * 240, undefined, 320], [20000, [320, 240], 160]]) {
    const source = new core.Source(async () => new Response(photo), undefined, () => most);
    await source.open();
    const { parts, size: found } = await core.transcode(source);
    source.close();
    assert.deepEqual(found, size);
    assert.equal(Buffer.from(core.joined(parts)).readUInt32BE(16), width);
  }
}

// A session without pixels has no finished rows.
{
  const decoder = await codec("pure-webp-simd");
  const session = decoder.session(vector("alpha-lossless-cut-1.webp"), "webp_decode");
  assert.throws(() => session.check(), { kind: "truncated" });
  assert.equal(session.rows, 0);
  session.close();
}

// The conversion of an animation ends when it is canceled.
{
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response(vector(name));
  let asked = 0;
  const answers = [];
  const job = { interval: 0 };
  const source = new core.Source(() => core.request("animation"));
  await source.open();
  await core.convert(job, {
    read: () => source.read(), get isClosed() { return (asked += 1) > 2; },
  }, answer => answers.push(answer));
  source.close();
  assert.deepEqual(answers.map(({ done, error }) => [done, error.message]), [[undefined, "stopped"]]);
  globalThis.fetch = fetch;
}

// Functions that build files.
const word = (value, count) => Array.from({ length: count }, (_, i) => value >>> 8 * i & 255);
const chunk = (type, bytes) => [...Buffer.from(type), ...word(bytes.length, 4), ...bytes];
const pixel = Buffer.from("VlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64");
const pictures = (width, frames, ...more) => chunk("RIFF", [
  ...Buffer.from("WEBP"), ...chunk("VP8X", [...word(2, 4), ...word(width - 1, 3), ...word(width - 1, 3)]),
  ...chunk("ANIM", word(0, 6)), ...frames.flat(), ...more,
]);
const frame = (corner, duration) => {
  const place = word(corner, 3);
  return chunk("ANMF", [...place, ...place, ...word(0, 6), ...word(duration, 3), 1, ...pixel]);
};

// Durations of frames are 16-bit fractions of seconds.
{
  const parts = [];
  const transcoder = new core.Transcoder(await core.load(), part => parts.push(Buffer.from(part)));
  const durations = [0, 40, 65535, 65536, 655359, 655360, 16777215];
  transcoder.append(Uint8Array.from(pictures(1, durations.map(duration => frame(0, duration)))));
  await transcoder.finish();
  transcoder.close();
  const found = parts.filter(part => part.toString("latin1", 4, 8) === "fcTL")
    .map(part => part.readUInt16BE(28) / part.readUInt16BE(30));
  assert.deepEqual(found, [0, 0.04, 65.535, 65.53, 655.35, 655.3, 16777]);
}

// Small changes at two corners of a large canvas, in turn: the size of the result is limited, and other tasks run
// meanwhile. The number of unchanged canvases is limited, too, in relation to the size of the file.
for (const [corner, spare, least, most] of [[2047, 2 ** 14, 2 ** 28, 2 ** 29], [0, 0, 2 ** 26, 2 ** 26]]) {
  const frames = Array.from({ length: 20 }, (_, i) => frame(i % 2 * corner, 100));
  const file = pictures(4096, frames, ...chunk("none", word(0, spare)));
  const codec = await core.load();
  let size = 0;
  let others = 0;
  const transcoder = new core.Transcoder(codec, part => { size += part.length; });
  const timer = setInterval(() => { others += 1; });
  transcoder.append(Uint8Array.from(file));
  await assert.rejects(transcoder.finish(), { name: "WebPError", kind: "limitExceeded" });
  clearInterval(timer);
  transcoder.close();
  assert.ok(size > least && size < most + 2 ** 20, size);
  assert.ok(others > 0);

  // The memory is released immediately, not when the next image is decoded.
  const open = async () => {
    const animation = await WebPAnimation.open(Uint8Array.from(file));
    animation.next();
    const { memory } = animation.session.codec.exports;
    assert.ok(memory.buffer.byteLength > 2 ** 26);
    animation.close();
    return new WeakRef(memory);
  };
  const memory = await open();
  await new Promise(go => setTimeout(go));
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  assert.equal(memory.deref(), undefined);
}

// If the memory does not suffice for several images, each is tried again alone.
{
  const { fetch } = globalThis;
  const first = await core.load();
  first.lend(new Uint8Array(1 << 20), () => {}); // leaves enough memory for one image
  first.exports.memory.grow(65536 - first.exports.memory.buffer.byteLength / 65536);
  let most = 0;
  globalThis.fetch = async () => {
    let at = 0;
    return new Response(new ReadableStream({
      async pull(controller) {
        const codec = await core.load();
        if (codec !== first) most = Math.max(most, codec.sessions);
        controller.enqueue(photo.subarray(at, at += 5000));
        if (at >= photo.length) controller.close();
      },
    }));
  };
  const answers = [];
  const job = { interval: 0 };
  const jobs = Array.from({ length: 6 }, (_, id) => Object.assign({ id }, job));
  await Promise.all(jobs.map(job => convert(job, answer => answer.part || answers.push(answer))));
  assert.deepEqual(answers.map(({ error }) => error), Array(6).fill(undefined));
  assert.ok(first.isBroken);
  assert.equal(most, 1);
  globalThis.fetch = fetch;
}

// If there is no memory for a session, the module stops.
for (const name of ["pure-webp-simd", "pure-webp"]) {
  const full = await codec(name);
  for (let size = 2 ** 30; size; size >>= 1) while (full.call("webp_allocate", size));
  assert.throws(() => full.stream(), { name: "WebPError", kind: "limitExceeded" });
  assert.equal(full.isBroken, true);
}

// Memory is released if its use fails.
const decoder = await codec("pure-webp-simd");
const memory = () => decoder.exports.memory.buffer.byteLength;
decoder.lend(photo, () => {});
const lent = memory();
for (let i = 0; i < 100; i++) assert.throws(() => decoder.lend(photo, () => { throw new RangeError(); }), RangeError);
assert.equal(memory(), lent);

// Memory is reused: five hundred images take no more than one.
decoder.decode(photo);
const before = memory();
for (let i = 0; i < 500; i++) decoder.decode(photo);
assert.equal(memory(), before);
assert.equal(decoder.sessions, 0);
// A host without `fetch` and without addresses of scripts, such as Cloudflare Workers: the classic script, in a context
// that has only WebAssembly, gets a compiled module.
{
  const globals = { WebAssembly, setTimeout, clearTimeout };
  const script = readFileSync(new URL("pure-webp-classic.js", dist), "utf8");
  const host = runInNewContext(script + "; PureWebP", globals);
  await assert.rejects(host.decode(file), { kind: "moduleUnavailable" });
  host.configure({ wasm: new WebAssembly.Module(readFileSync(new URL("pure-webp.wasm", dist))) });
  assert.equal(sum(await host.decode(file)), references.get(still));
}

console.log("import: all as expected");
