"""The site that the browsers show. To simulate browsers without WebP, it answers their own requests for WebP images with
bytes that cannot be decoded, and requests of scripts with the file."""
import functools
import http.server
import io
import pathlib
import re
import threading
import time
import urllib.parse

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
WASM = HERE.parents[1]
IMAGES = WASM.parent / "Benchmarks/Small"
VECTORS = WASM.parent / "Conformance/vectors"
PAGE_SCRIPT = WASM.parent / "Sources/WebPWebView/PageScript.js"

README = (WASM / "README.md").read_text()
SNIPPETS = re.findall(r'<script type="module">\n(.*?)</script>', README, re.S)
SNIPPETS += re.findall(r"```js\n(navigator.*?)```", README, re.S)

# Browsers without WebP load a sample in its place.
HIDDEN = "window.createImageBitmap = undefined;"
POLYFILL = """
import("/pure-webp.js").then(module => module.polyfill({ force: true, fade: 0, interval: 0 })).then(
  result => { window.polyfilled = result }, error => { window.failed = String(error) });
"""
# Takes the place of the app: it answers requests of WebP images, by any name, with PNGs. An app answers after the
# browser's own request has failed. In WebKit, an object that gets its PNG earlier may show its fallback.
BRIDGE = """
const postMessage = async ({ page, id, url }) => {
  const png = url.replace(/\\/images\\/([^?]*)[.]webp(.*)/, "/converted/$1.png$2")
    .replace(/\\/unnamed\\/([^?]*)/, "/converted/$1.png");
  const response = png !== url && await fetch(png);
  if (!response.ok) return PureWebPBridge.answer(page, id, "failure", "not a WebP");
  const reader = new FileReader();
  reader.onload = () => PureWebPBridge.answer(page, id, "source", reader.result);
  PureWebPBridge.answer(page, id, "size", 3, 2);
  await new Promise(done => setTimeout(done, 100));
  reader.readAsDataURL(await response.blob());
};
window.webkit = { messageHandlers: { pureWebP: { postMessage } } };
PureWebPBridge.start("pureWebP", 0);
"""
WORKER = """
const ask = self.fetch;
self.fetch = (request, options) =>
  request.url ? ask(request.url, { headers: { "X-Own-Request": "1" } }) : ask(request, options);
importScripts("/pure-webp-sw.js");
"""


@functools.lru_cache
def converted(name):
    """Returns the image as a PNG, decoded by libwebp."""
    data = io.BytesIO()
    Image.open(IMAGES / name).save(data, "PNG")
    return data.getvalue()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves dist/ at the root, /pages/, /images/, the same images without extension in /unnamed/, and as
    PNG in /converted/."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        site = self.server.site
        path = urllib.parse.urlsplit(self.path).path
        folder, name = path.rpartition("/")[::2]
        if site.is_offline:
            self.close_connection = True
            return
        site.asked.append(self.path)
        site.received.append((self.path, self.is_own(), self.headers))
        if self.path in site.gates and self.is_own():
            site.gates[self.path].wait(30)
        if site.needs_cookie and not self.headers["Cookie"]:
            return self.answer("text/plain", b"", 403)
        if path == "/open":
            site.gates[urllib.parse.urlsplit(self.path).query].set()
        if path in site.files:
            kind, data, *status = site.files[path]
            hidden = kind == "image/webp" and site.hides and self.is_own()
            return self.answer(kind, b"not an image" if hidden else data, *status)
        if path == "/start.js":
            return self.answer("text/javascript", site.script().encode())
        try:
            if folder == "/images":
                hidden = site.hides and self.is_own()
                return self.answer("image/webp", b"not an image" if hidden else (IMAGES / name).read_bytes())
            if folder == "/unnamed":
                hidden = site.hides and self.is_own()
                return self.answer("image/webp", b"not an image" if hidden else (IMAGES / f"{name}.webp").read_bytes())
            if folder == "/converted":
                return self.answer("image/png", converted(name[:-4] + ".webp"))
            if name == "pure-webp-sample.webp" and site.hides and self.is_own():
                return self.answer("image/webp", b"not an image")
            file = (HERE / "pages" if folder == "/pages" else WASM / "dist") / name
            self.answer(self.guess_type(name), file.read_bytes())
        except FileNotFoundError:
            self.answer("text/plain", b"", 404)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # the browser closed the connection

    def is_own(self):
        """Returns whether the browser requests an image to show it, not a script."""
        if self.headers["X-Own-Request"]:
            return False
        return self.headers["Sec-Fetch-Dest"] not in (None, "empty") or "image/" in self.headers["Accept"]

    def answer(self, kind, data, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) + 300_000 * (self.path in self.server.site.endless)))
        no_store = status != 200 or self.server.site.hides and not self.server.site.is_cached
        self.send_header("Cache-Control", "no-store" if no_store else "max-age=60")
        for name, value in self.server.site.headers.items():
            if name != "Access-Control-Allow-Origin" or self.headers["Origin"]:
                self.send_header(name, value)
        self.end_headers()
        site = self.server.site
        if self.path in site.stalls and not (site.hides and self.is_own()):
            event, length = site.stalls[self.path]
            self.wfile.write(data[: length or len(data) // 2])
            event.wait(30)
            data = data[length or len(data) // 2 :] if self.path not in site.incomplete else b""
        self.wfile.write(data)
        if self.path in site.endless and not self.is_own():
            for _ in range(300):
                self.wfile.write(bytes(1000))
                time.sleep(0.01)
            site.complete.append(self.path)
        self.close_connection |= self.path in [*site.incomplete, *site.endless]

    def log_message(self, *_):
        pass


class Site:
    """A server, at `origin`, that runs as long as the tests."""

    def __init__(self, mode="", hides=True):
        self.mode = mode
        self.hides = hides
        #: Whether browsers may store the answers, which they otherwise may only if the site does not hide images.
        self.is_cached = False
        #: Whether requests get no answer.
        self.is_offline = False
        #: Whether requests without cookies are rejected.
        self.needs_cookie = False
        self.headers = {}
        self.asked = []
        #: For each request: its path, whether the browser sent it to show an image, and its headers.
        self.received = []
        #: The browser's own requests of these paths wait for the event, which a request of /open?PATH sets.
        self.gates = {}
        #: The answers to scripts that request these paths: see `stall`.
        self.stalls = {}
        #: Answers of `stalls` that end in the middle.
        self.incomplete = set()
        #: The answers to scripts that request these paths continue with zeros for three seconds.
        self.endless = set()
        #: The paths of `endless` that a browser has read to the end.
        self.complete = []
        #: Path: (type, bytes), and a status unless it is 200
        self.files = {"/worker.js": ("text/javascript", WORKER.encode())}
        red = io.BytesIO()
        Image.new("RGB", (4, 4), "red").save(red, "PNG")
        self.files["/fallback.png"] = ("image/png", red.getvalue())
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.site = self
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{server.server_port}"

    def hold(self, path):
        """Holds the answers to the browser's own requests until the returned event is set."""
        self.gates[path] = threading.Event()
        return self.gates[path]

    def stall(self, path, length=None):
        """Stops the answers to scripts after a number of bytes, or in the middle, until the returned event is set."""
        event = threading.Event()
        self.stalls[path] = event, length
        return event

    def script(self):
        """Returns the script at the beginning of the pages."""
        if self.mode == "polyfill":
            return HIDDEN + (WASM / "dist/pure-webp-head.js").read_text() + POLYFILL
        return PAGE_SCRIPT.read_text() + BRIDGE if self.mode == "bridge" else ""
