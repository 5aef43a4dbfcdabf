// A service worker that answers a page's requests for WebP images with PNGs, which it makes while the bytes arrive. CSS,
// <picture> and canvas then work unchanged. Requests of scripts, which may need the file, are not answered.
//
//     navigator.serviceWorker.register("/pure-webp-sw.js")         "…?force": also in browsers with WebP
//
// The address may have limits, too: "…?unrestrictedPixels=16777216".
//
// The file must be in the folder of its pages or above, with pure-webp-core.js and the modules beside it.

importScripts("pure-webp-core.js");

const options = {};
new URL(location.href).searchParams.forEach((value, name) => { options[name] = Number(value || 1); });

addEventListener("install", () => skipWaiting());
addEventListener("activate", event => event.waitUntil(clients.claim()));

addEventListener("fetch", event => {
  const { request } = event;
  const { destination, mode } = request;
  const isCalledWebP = PureWebPCore.isCalledWebP(request.url);
  // Requests of scripts have the destination "". Older browsers have no destination, so the mode of the request is
  // tested. Frames and tabs that show an image have the destinations "iframe" and "document".
  const isImage = destination === undefined
    ? mode === "no-cors" && isCalledWebP : destination === "image" || mode === "navigate" && isCalledWebP;
  // A browser that supports WebP lists it in every request for an image.
  const knowsWebP = /image\/webp/.test(request.headers.get("Accept") || "");
  if (request.method === "GET" && isImage && (options.force || !knowsWebP)) event.respondWith(answer(request));
});

async function answer(request) {
  // Loads the decoder before the image, because images that wait for the decoder may occupy all connections to a host.
  if (PureWebPCore.isCalledWebP(request.url)) PureWebPCore.load().catch(() => {});
  const response = await fetch(request);
  const visible = response.type === "opaque" ? await readable(request) : response;
  if (!visible || visible.status !== 200) {
    // The copy of an error is not read.
    if (visible && visible !== response) PureWebPCore.readerOf(visible).cancel().catch(() => {});
    return response;
  }
  const reader = PureWebPCore.readerOf(visible);
  const start = await PureWebPCore.startOf(reader);
  const headers = new Headers(visible.headers);
  if (!PureWebPCore.isWebP(start)) {
    if (visible === response) return new Response(rest(reader, start), { headers });
    // The copy was requested without cookies to examine it, so it may be another image.
    reader.cancel().catch(() => {});
    return response;
  }
  headers.set("Content-Type", "image/png");
  headers.delete("Content-Length");
  headers.delete("Content-Encoding");
  return new Response(await png(reader, start), { headers });
}

/** Requests a file of another origin again, so that it can be read. Its name must end in .webp. */
async function readable(request) {
  try {
    return PureWebPCore.isCalledWebP(request.url) && await PureWebPCore.request(request.url, "omit");
  } catch (error) {
    return null;
  }
}

/** Returns the unchanged bytes: `start` and the remaining ones. */
function rest(reader, start) {
  if (typeof ReadableStream !== "function") return start;
  return new ReadableStream({
    start(controller) { if (start.length) controller.enqueue(start); },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel(reason) { return reader.cancel(reason); },
  });
}

async function png(reader, start) {
  if (typeof ReadableStream !== "function") {
    const parts = [];
    await transcode(reader, start, part => parts.push(part));
    return new Blob(parts);
  }
  return new ReadableStream({
    async start(controller) {
      try {
        await transcode(reader, start, part => controller.enqueue(part));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
    cancel(reason) { return reader.cancel(reason); },
  });
}

async function transcode(reader, start, emit) {
  try {
    await PureWebPCore.withCodec(async codec => {
      const transcoder = new PureWebPCore.Transcoder(codec, emit, options);
      try {
        for (let bytes = start; bytes; bytes = (await PureWebPCore.patiently(reader.read())).value) {
          transcoder.append(bytes);
          transcoder.write();
        }
        await transcoder.finish();
      } catch (error) {
        transcoder.conclude(error);
      } finally {
        transcoder.close();
      }
    });
  } finally {
    reader.cancel().catch(() => {}); // after an error, the rest is not downloaded
  }
}
