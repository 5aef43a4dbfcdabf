// A service worker that answers a page's requests for WebP with PNG, made as the bytes come. Everything that shows
// pictures then works unchanged: CSS, <picture>, canvas. What scripts fetch, which may want the file, stays as it is.
//
//     navigator.serviceWorker.register("/pure-webp-sw.js")         "…?force": also where the browser knows WebP
//
// It has to lie where its pages are, or above, with pure-webp-core.js and the modules beside it.

importScripts("pure-webp-core.js");

const force = new URL(location.href).searchParams.has("force");

addEventListener("install", () => skipWaiting());
addEventListener("activate", event => event.waitUntil(clients.claim()));

addEventListener("fetch", event => {
  const { request } = event;
  const { destination, mode } = request;
  // Scripts have no destination, "". Where browsers do not tell it yet, they are known by their mode.
  const isPicture = destination === undefined
    ? mode === "no-cors" && /\.webp([?#]|$)/i.test(request.url) : destination === "image";
  // A browser that knows WebP says so in every request for a picture.
  const knowsWebP = /image\/webp/.test(request.headers.get("Accept") || "");
  if (request.method === "GET" && isPicture && (force || !knowsWebP)) event.respondWith(answer(request));
});

async function answer(request) {
  const response = await fetch(request);
  const visible = response.type === "opaque" ? await readable(request) : response;
  if (!visible || !visible.ok || !visible.body) return response;
  const reader = visible.body.getReader();
  let start = new Uint8Array(0);
  let isOver = false;
  while (start.length < 12 && !isOver) {
    const { done, value } = await reader.read();
    isOver = done;
    if (value) start = PureWebPCore.joined([start, value]);
  }
  const headers = new Headers(visible.headers);
  if (!PureWebPCore.isWebP(start)) {
    if (visible === response) return new Response(rest(reader, start), { status: visible.status, headers });
    // The copy was made to be looked at, without cookies: it may be another picture.
    reader.cancel().catch(() => {});
    return response;
  }
  const codec = await PureWebPCore.load();
  headers.set("Content-Type", "image/png");
  headers.delete("Content-Length");
  headers.delete("Content-Encoding");
  return new Response(png(codec, reader, start), { headers });
}

/** What another origin allows to be read, or null. */
async function readable(request) {
  try {
    return await fetch(request.url, { mode: "cors", credentials: "omit" });
  } catch (error) {
    return null;
  }
}

/** The bytes as they are. */
function rest(reader, start) {
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

function png(codec, reader, start) {
  let transcoder;
  return new ReadableStream({
    async start(controller) {
      transcoder = new PureWebPCore.Transcoder(codec, part => controller.enqueue(part));
      try {
        transcoder.append(start);
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          transcoder.append(value);
        }
        await transcoder.finish();
        controller.close();
      } catch (error) {
        controller.error(error);
      } finally {
        reader.cancel().catch(() => {}); // what follows an error is not downloaded
        transcoder.close();
      }
    },
    cancel(reason) { return reader.cancel(reason); },
  });
}
