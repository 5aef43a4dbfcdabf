// A service worker that answers a page's requests for WebP images with PNGs, which it makes while the bytes arrive. CSS,
// <picture> and canvas then work unchanged. Requests of scripts, which may need the file, are not answered.
//
// The address may have limits, and `force`, for browsers with WebP: "/pure-webp-sw.js?force&unrestrictedPixels=16777216".
//
// The file must be in the folder of its pages or above, with pure-webp-core.js and the modules beside it.

importScripts("pure-webp-core.js?PACKAGE_VERSION");

// Then the browser does not install this script, and shows the images itself.
if (PureWebPCore.version !== "PACKAGE_VERSION") {
  throw new Error(`pure-webp-core.js has version ${PureWebPCore.version}, not PACKAGE_VERSION`);
}

/**
 * The pixels that the images of ten seconds may have together, because the service worker does not learn which ones a page still
 * shows. An image that exceeds the rest gets a half of it: its sides are divided.
 */
const recentPixels = 2 ** 26;

/** The pixels that each image may have, however many are recent. */
const leastPixels = 2 ** 16;

let room = recentPixels;

function take(pixels) {
  room -= pixels;
  setTimeout(() => { room += pixels; }, 10000);
}

/** Maps the pixels of a file to the most pixels of the result. */
function mostPixels(pixels) {
  const most = pixels <= room ? room : Math.max(room / 2, leastPixels);
  take(Math.min(pixels, most));
  return most;
}

const options = {};
new URL(location.href).searchParams.forEach((value, name) => { options[name] = Number(value || 1); });

addEventListener("install", () => skipWaiting());
addEventListener("activate", event => event.waitUntil(clients.claim()));

addEventListener("fetch", event => {
  const { request } = event;
  const { destination, mode } = request;
  const isCalledWebP = PureWebPCore.isCalledWebP(request.url);
  // Requests of scripts have the destination "". Frames and tabs that show an image have "iframe" and "document".
  const isImage = destination === "image" || mode === "navigate" && isCalledWebP;
  // A browser that supports WebP lists it in every request for an image.
  const knowsWebP = /image\/webp/.test(request.headers.get("Accept") || "");
  if (request.method === "GET" && isImage && (options.force || !knowsWebP)) event.respondWith(retaining(answer(request)));
});

/** The number of requests whose answers have not begun, and the timer after the last one. */
let open = 0;
let timer;

// Large images use the same memory, one after the other. The released memory of several could wait for garbage collection.
PureWebPCore.Codec.retainedMemory = Infinity;

/** Releases the decoder's memory when no request has been open for a second. */
function retaining(answer) {
  open += 1;
  clearTimeout(timer);
  return answer.finally(() => {
    open -= 1;
    if (!open) timer = setTimeout(() => { PureWebPCore.Codec.current = []; }, 1000);
  });
}

async function answer(request) {
  // Loads the decoder before the image, because images that wait for the decoder may occupy all connections to a host.
  if (PureWebPCore.isCalledWebP(request.url)) PureWebPCore.load().catch(() => {});
  const response = await fetch(request);
  const visible = response.type === "opaque" ? await readable(request) : response;
  if (!visible) return response;
  let most;
  const copy = visible.clone();
  const source = new PureWebPCore.Source(async () => copy, undefined, () => most);
  await source.open().catch(() => {}); // an error's body may not be WebP
  if (!PureWebPCore.isWebP(source.start)) {
    source.close();
    return response;
  }
  if (visible.body) visible.body.cancel();
  const { status, statusText } = visible;
  const headers = new Headers(visible.headers);
  most = mostPixels(source.pixels);
  headers.delete("Content-Length");
  headers.delete("Content-Encoding");
  const isBlob = source.isLarge || most < source.pixels || PureWebPCore.isAnimated(source.start);
  if (!isBlob) most = undefined; // a stream is a PNG of all pixels
  const body = await image(source, isBlob);
  headers.set("Content-Type", body.type || "image/png");
  return new Response(body, { status, statusText, headers });
}

/** Requests a file of another origin again, so that it can be read. Its name must end in .webp. */
async function readable(request) {
  try {
    return PureWebPCore.isCalledWebP(request.url) && await PureWebPCore.request(request.url, { credentials: "omit" });
  } catch (error) {
    return null;
  }
}

/** Returns the image: a stream, or a blob if it may not be a PNG, or is the first frame of an animation for which there is no room. */
async function image(source, isBlob) {
  const convert = emit => PureWebPCore.transcode(source, options, undefined, 0, emit).finally(() => source.close());
  let first;
  source.plays = (frame, pixels) => {
    first = frame;
    if (pixels > room) return false;
    take(pixels);
    return true;
  };
  if (typeof ReadableStream !== "function" || isBlob) {
    const result = await convert().catch(error => { if (!first) throw error; });
    return result && result.parts.length ? PureWebPCore.imageOf(result) : first;
  }
  return new ReadableStream({
    async start(controller) {
      try {
        await convert(part => controller.enqueue(part));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
    cancel() { source.close(); },
  });
}
