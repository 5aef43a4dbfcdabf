#!/usr/bin/env python3
"""The polyfill and the service worker in headless Chromium, held against what Chromium makes of the same files itself.

    pip install playwright pillow; apt install chromium; Wasm/build; python3 Wasm/tests/browser.py

Chromium shows WebP, so the polyfill is forced, and what it gives to images is seen to be PNG.
"""
import http.client
import http.server
import io
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

WASM = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = {
    "small": WASM.parent / "Benchmarks/Small",
    "vectors": WASM.parent / "Conformance/vectors",
    "pages": WASM / "tests/pages",
}
gate = threading.Event()
went_on = []
asked = []
failures = []


class Handler(http.server.SimpleHTTPRequestHandler):
    """The distribution at the root, the folders above; /slow/… stops half-way until the gate opens, and with ?cut ends
    there, /shared/… is for other origins, too, /secret/… for those that send a cookie, each time, and /strict/… comes
    with the policy that README.md asks for, but without workers, and with ?own without object URLs, too. /hidden/… is
    WebP by another name, which the browser's own request does not get, and with ?slow waits for the gate; /unknown/… are
    the small ones as for a browser without WebP: its own requests get nothing, and none is kept. /known… is a PNG that
    is wider for who has a cookie, and /endless/… a file that goes on for three seconds, with ?gone that of an error.
    Scripts that are asked for with ?…old find no streams, as in Firefox 60."""

    policy = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'self'; "
              "img-src 'self' blob:")

    def translate_path(self, path):
        first, *rest = path.split("?")[0].strip("/").split("/")
        if ".." in [first, *rest]:
            return "/dev/null/none"  # no way leads out of the folders
        first = {"shared": "small", "secret": "small", "unknown": "small", "strict": "pages"}.get(first, first)
        if first == "hidden":
            return str(FOLDERS["small"] / (rest[0] + ".webp"))
        if first in FOLDERS:
            return str(FOLDERS[first].joinpath(*rest))
        return str(WASM / "dist" / first)

    def do_GET(self):
        asked.append(self.path)
        if self.path.startswith("/known"):
            return self.known()
        if self.path.endswith("old"):
            return self.without_streams()
        if self.path.startswith("/endless/"):
            return self.endless()
        if self.path.startswith(("/hidden/", "/unknown/")) and self.headers["Sec-Fetch-Dest"] == "image":
            return self.send_error(404)
        if self.path.endswith("?slow"):
            gate.wait(60)
        if self.path.startswith("/secret/") and not self.headers["Cookie"]:
            return self.send_error(403)
        if not self.path.startswith("/slow/"):
            return super().do_GET()
        data = (FOLDERS["small"] / self.path.split("/")[-1].split("?")[0]).read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "image/webp")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        gate.wait(60)
        if self.path.endswith("?cut"):
            return time.sleep(0.1)  # the first half is shown until then
        self.wfile.write(data[len(data) // 2 :])

    def known(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        Image.new("RGB", (20 if self.headers["Cookie"] else 10, 10)).save(self.wfile, "PNG")

    def without_streams(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.end_headers()
        self.wfile.write(b"self.ReadableStream = undefined; delete Response.prototype.body;\n")
        self.wfile.write(pathlib.Path(self.translate_path(self.path)).read_bytes())

    def endless(self):
        name, _, gone = self.path.split("/")[-1].partition("?")
        self.send_response(404 if gone else 200)
        self.send_header("Content-Type", "image/webp")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        try:
            self.wfile.write((FOLDERS["vectors"] / name).read_bytes())
            for _ in range(300):
                self.wfile.write(bytes(1000))
                time.sleep(0.01)
            if self.headers["Sec-Fetch-Mode"] == "cors":  # the browser's own are not
                went_on.append(self.path)
        except OSError:
            pass

    def end_headers(self):
        if self.path.startswith("/shared/"):
            self.send_header("Access-Control-Allow-Origin", "*")
        if self.path.startswith("/secret/"):
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
            self.send_header("Access-Control-Allow-Credentials", "true")
        if self.path.startswith(("/secret/", "/unknown/")):
            self.send_header("Cache-Control", "no-store")
        if self.path.startswith("/strict/"):
            own = self.path.endswith("?own")
            self.send_header("Content-Security-Policy", self.policy.replace(" blob:", "") if own else self.policy)
        super().end_headers()

    def log_message(self, *_):
        pass


def check(what, holds, detail=""):
    print("ok      " if holds else "FAILED  ", what, "" if holds else detail)
    if not holds:
        failures.append(what)


def shot(page, **options):
    return Image.open(io.BytesIO(page.screenshot(**options))).convert("RGB")


def differs(a, b, tolerance=0):
    if a.size != b.size:
        return f"{a.size} and {b.size}"
    difference = ImageChops.difference(a, b)
    most = max(high for _, high in difference.getextrema())
    return f"they differ by {most} in {difference.getbbox()}" if most > tolerance else ""


def compare(what, page, wanted):
    """Opaque pictures are equal. Where there is alpha, Chromium multiplies colours by it with libwebp's rounding for
    WebP and with its own for PNG: one step apart."""
    found = shot(page)
    check(what + ": as the browser's own", not differs(found, wanted, 1), differs(found, wanted, 1))
    for name in ["plain", "dense", "wide", "added", "inline"]:
        box = page.locator("#" + name).bounding_box()
        box = [round(v) for v in (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])]
        difference = differs(found.crop(box), wanted.crop(box))
        check(f"{what}: {name} in every byte", not difference, difference)


def wait_for(page, expression, arg=None):
    """For what is a promise, which `wait_for_function` takes for true, whatever becomes of it."""
    for _ in range(600):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(expression)


PICTURES = "Array.from(document.images)"
ALL_LOADED = f"{PICTURES}.every(i => i.complete && i.naturalWidth)"
ALL_CONVERTED = f"{PICTURES}.every(i => i.complete && i.naturalWidth && i.currentSrc.startsWith('blob:'))"
START = "options => import('/pure-webp.js').then(m => m.polyfill(Object.assign({force: true, fade: 0}, options)))"


def native(browser, origin):
    page = browser.new_page(viewport={"width": 700, "height": 1100})
    page.goto(origin + "/pages/pictures.html")
    page.evaluate("addLater()")
    page.wait_for_function(ALL_LOADED)
    page.wait_for_timeout(300)
    picture = shot(page)
    page.close()
    return picture


def polyfilled(browser, origin, wanted, simd):
    name = "polyfill, " + ("vector instructions" if simd else "none")
    page = browser.new_page(viewport={"width": 700, "height": 1100})
    page.goto(origin + "/pages/pictures.html")
    page.wait_for_function(ALL_LOADED)
    page.evaluate("simd => import('/pure-webp.js').then(() => { PureWebPCore.simd = simd })", simd)
    page.evaluate(START, {})
    page.evaluate("addLater()")
    page.wait_for_function(ALL_CONVERTED)
    page.wait_for_function("""
        getComputedStyle(document.querySelector('.sheet')).backgroundImage.startsWith('url("blob:') &&
        getComputedStyle(document.querySelector('.sheet'), '::before').content.startsWith('url("blob:') &&
        Array.from(document.querySelectorAll('[style*=background]')).every(
          e => getComputedStyle(e).backgroundImage.includes('blob:'))""")
    page.wait_for_timeout(500)
    compare(name, page, wanted)
    types = page.evaluate(f"Promise.all({PICTURES}.map(i => fetch(i.currentSrc).then(r => r.blob()).then(b => b.type)))")
    check(name + ": all images are PNG", set(types) == {"image/png"}, types)
    page.close()


def stopped(browser, origin):
    """After stop(): what is shown can be shown elsewhere, what was half-way is as it was, and nothing more is done."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("options => (" + START + ")(options).then(p => { window.polyfilled = p })", {"interval": 0})
    page.evaluate("document.body.innerHTML = '<p style=\"background: url(/small/photo-q75.webp)\">sheet'")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate(SHOW, "/slow/photo-q98.webp")
    page.wait_for_function(f"{PICTURES}.length === 3 && {ALL_CONVERTED}")
    page.evaluate("polyfilled.stop()")
    page.evaluate("document.body.innerHTML += '<p>'")  # all of it anew
    gate.set()
    page.wait_for_timeout(1500)
    found = page.evaluate(PICTURES + ".map(i => [i.currentSrc.split(':')[0], i.naturalWidth])")
    wanted = [["blob", 320], ["blob", 320], ["http", 320]]
    check("stopped: images remain, but for the one that was coming", found == wanted, found)
    found = page.evaluate("""fetch(getComputedStyle(document.querySelector('p')).backgroundImage.slice(5, -2)).then(
        r => r.blob()).then(b => b.type, String)""")
    check("stopped: the style remains", found == "image/png", found)
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("document.images[3].currentSrc")
    check("stopped: nothing more is done", found == origin + "/small/photo-q75.webp" and not page.workers, found)
    gate.clear()
    page.close()


SHOW = """source => {
    const image = new Image();
    image.src = source;
    document.body.appendChild(image);
  }"""


def download(page, what, origin):
    for kind, query in [("a damaged file", ""), ("what is not there", "?gone")]:
        page.evaluate(SHOW, origin + "/endless/vp8l-version-1.webp" + query)
        page.wait_for_timeout(5000)
        check(f"{what}: no download of {kind} goes on", not went_on, went_on)
        went_on.clear()


def events(browser, origin):
    """Images that come while the polyfill is there: one load event each, one error event for what is no picture."""
    page = browser.new_page(viewport={"width": 400, "height": 400})
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate("""() => {
        window.events = [];
        for (const name of ['small/photo-q98.webp', 'small/none.webp', 'small/none.png', 'vectors/vp8l-version-1.webp',
                            'vectors/vp8l-version-1.webp/']) {  // which is not called .webp
          const image = new Image();
          image.alt = name;
          image.onload = () => events.push('load ' + name + ' ' + image.naturalWidth);
          image.onerror = () => events.push('error ' + name);
          image.src = '/' + name;
          document.body.appendChild(image);
        }
      }""")
    page.wait_for_function("events.length >= 5")
    page.wait_for_timeout(1000)
    heard = sorted(page.evaluate("events"))
    check(
        "events: load for the whole picture, error for what is none",
        heard == ["error small/none.png", "error small/none.webp", "error vectors/vp8l-version-1.webp",
                  "error vectors/vp8l-version-1.webp/", "load small/photo-q98.webp 320"], heard)
    download(page, "worker", origin)
    page.close()


def changed(browser, origin):
    """What the page makes of an image is what it shows, whatever was still being fetched for it."""
    changes = [
        ("a PNG", "image.src = '/known'", 10), ("another WebP", "image.src = '/small/icon-lossless.webp'", 64),
        ("nothing", "image.removeAttribute('src')", 0), ("another candidate", "image.srcset = '/known 1x'", 10),
        ("another WebP, told late", "late(); image.src = '/small/icon-lossless.webp'", 64),
        ("another candidate, told late", "late(); image.srcset = '/known 1x'", 10),
    ]
    for before, coming in [("/slow/photo-q98.webp", "image.naturalWidth"), ("/slow/photo-q98.webp", "true"),
                           ("/hidden/photo-q98?slow", "true")]:
        for what, change, width in changes:
            what = f"changed from {before}{', of which there is some,' if coming != 'true' else ''} to {what}"
            page = browser.new_page()
            page.goto(origin + "/pages/empty.html")
            # As Firefox has it: until the next picture is there, it tells of the one before.
            page.evaluate("""() => {
                window.late = () => {
                  Object.defineProperty(image, 'currentSrc', { value: image.currentSrc, configurable: true });
                };
                document.addEventListener('load', event => delete event.target.currentSrc, true);
              }""")
            page.evaluate(START, {"interval": 0})
            page.evaluate("""source => {
                window.events = [];
                window.image = new Image();
                for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
                image.src = source;
                document.body.appendChild(image);
              }""", before)
            page.wait_for_function(coming)
            page.wait_for_timeout(200)
            page.evaluate("() => {" + change + "}")
            page.wait_for_timeout(200)
            gate.set()
            page.wait_for_timeout(700)
            found = page.evaluate("[image.naturalWidth, events]")
            check(what, found == [width, ["load"] if width else []], found)
            gate.clear()
            page.close()
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate("""() => {
        const image = new Image();
        image.onerror = () => { image.src = '/hidden/icon-lossless' };
        image.src = '/small/none.png';
        document.body.appendChild(image);
      }""")
    page.wait_for_function(ALL_CONVERTED, timeout=5000)
    check("changed when it has failed: looked into anew", True)
    page.close()


def resized(browser, origin):
    """The window's new size, or that it is dark, selects other candidates: WebP, and others. What is not said of them, as
    their sizes, is not said by those before."""
    pages = [browser.new_page(viewport={"width": 400, "height": 400}) for _ in range(2)]
    for page in pages:
        page.goto(origin + "/pages/empty.html")
    page, plain = pages
    page.evaluate(START, {})
    for each in pages:
        each.evaluate("""() => {
            document.body.innerHTML = `
              <picture><source media="(min-width: 500px)" srcset="/small/icon-lossless.webp">
                <img src="/small/photo-q75.webp"></picture>
              <picture><source media="(min-width: 500px)" srcset="/known"><img src="/small/photo-q75.webp?a"></picture>
              <img sizes="(min-width: 500px) 640px, 320px"
                srcset="/small/photo-q75.webp?b 320w, /small/screenshot.webp 640w">
              <picture><source media="(min-width: 500px)" srcset="/small/screenshot.webp?c 640w" sizes="640px">
                <img srcset="/small/photo-q75.webp?c 320w" sizes="100px"></picture>
              <picture><source media="(min-width: 500px)" srcset="/small/screenshot.webp?d 640w">
                <img srcset="/small/photo-q75.webp?d 320w" sizes="100px"></picture>
              <picture><source media="(prefers-color-scheme: dark)" srcset="/small/icon-lossless.webp?e">
                <img src="/small/photo-q75.webp?e"></picture>`;
          }""")
    widths = PICTURES + ".map(image => image.naturalWidth)"
    found = f"[{widths}, {PICTURES}.map(image => image.currentSrc.split(':')[0])]"
    for width, scheme in [(400, "light"), (600, "light"), (400, "light"), (400, "dark")]:
        for each in pages:
            each.set_viewport_size({"width": width, "height": 400})
            each.emulate_media(color_scheme=scheme)
        plain.wait_for_timeout(500)
        plain.wait_for_function(ALL_LOADED)
        wanted = [plain.evaluate(widths), ["blob", "http" if width == 600 else "blob", "blob", "blob", "blob", "blob"]]
        page.wait_for_function(f"wanted => JSON.stringify({found}) === JSON.stringify(wanted)", arg=wanted)
        check(f"resized: as the browser's own at {width}, {scheme}, and ours if it is WebP", True)
    for each in pages:
        each.close()
    page = browser.new_page(viewport={"width": 400, "height": 400})
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate("""() => {
        document.body.innerHTML = '<img srcset="/small/photo-q75.webp 320w, /small/screenshot.webp 640w" sizes=320px>';
      }""")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate("document.images[0].sizes = '640px'")
    pixels = "fetch(document.images[0].currentSrc).then(r => r.blob()).then(createImageBitmap).then(i => i.width)"
    for what, width in [("with the sizes that a script sets", 400), ("with them in another window", 450)]:
        page.set_viewport_size({"width": width, "height": 400})
        page.wait_for_timeout(700)
        found = page.evaluate(pixels)
        check(f"resized: {what}", found == 640, found)
    page.close()


def sources(browser, origin):
    """Sources that come, go and change, in a browser without WebP: those that are there are shown, also after a resize."""
    put = "srcset => { const s = document.createElement('source'); s.srcset = srcset; image.before(s); return s }"
    changes = [
        ("changed", "image.previousSibling.srcset = '%s'"), ("replaced", f"image.previousSibling.remove(); ({put})('%s')"),
        ("added", f"image.parentNode.prepend(({put})('%s'))"),
        ("in a new picture", f"const p = document.createElement('picture'); image.parentNode.before(p); p.append(image); "
                             f"({put})('%s')"),
    ]
    for what, change in changes:
        for srcset, width in [("/unknown/icon-lossless.webp", 64), ("/unknown/icon-lossless.webp 2x", 32),
                              ("/known", 10)]:
            page = browser.new_page(viewport={"width": 400, "height": 400})
            page.goto(origin + "/pages/empty.html")
            page.evaluate(START, {})
            page.evaluate("""() => {
                document.body.innerHTML =
                  '<picture><source srcset="/unknown/photo-q75.webp"><img src="/unknown/none.webp"></picture>';
                window.image = document.images[0];
              }""")
            page.wait_for_function(ALL_CONVERTED)
            asked.clear()
            page.evaluate("() => {" + change % srcset + "}")
            page.wait_for_timeout(500)
            page.set_viewport_size({"width": 500, "height": 400})
            page.wait_for_timeout(700)
            found = page.evaluate("image.naturalWidth"), len(asked)
            is_right = found[0] == width and found[1] < 5
            check(f"sources: {what}: {srcset} is shown, and asked for a few times", is_right, found)
            page.close()
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate("""() => {
        document.body.innerHTML = `<picture><source srcset="/unknown/icon-lossless.webp" media=print>
          <img src="/unknown/photo-q75.webp"></picture>`;
      }""")
    page.wait_for_function(ALL_CONVERTED)
    for what, change, width in [("for other media", "document.querySelector('source').media = 'all'", 64),
                                ("that goes", "document.querySelector('source').remove()", 320)]:
        page.evaluate("() => {" + change + "}")
        page.wait_for_timeout(700)
        found = page.evaluate("document.images[0].naturalWidth")
        check(f"sources: one {what}", found == width and page.evaluate(ALL_CONVERTED), found)
    page.close()
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    changes = [
        ("photo-q75", "a WebP that comes", "", f"({put})('/unknown/icon-lossless.webp')", 64),
        ("photo-q98", "a PNG that comes", "", f"({put})('/known')", 10),
        ("screenshot", "a PNG that is for other media at first", "<source media=print srcset=/known>",
         "image.previousSibling.media = ''", 10),
    ]
    for name, what, source, change, width in changes:
        page.evaluate("""([source, name]) => {
            window.events = [];
            document.body.innerHTML = `<picture>${source}<img src="/unknown/${name}.webp?slow"></picture>`;
            window.image = document.images[0];
            for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
          }""", [source, name])
        page.wait_for_timeout(500)
        page.evaluate("() => {" + change + "}")
        page.wait_for_timeout(500)
        gate.set()
        page.wait_for_timeout(500)
        found = page.evaluate("[image.naturalWidth, events]")
        check(f"sources: {what}, while another picture is still coming, is shown", found == [width, ["load"]], found)
        gate.clear()
    page.close()


def faded(browser, origin):
    """Pictures become as opaque as the page has them, not more; at once for those who want less motion."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {"fade": 1000})
    page.evaluate("""() => {
        document.head.innerHTML += '<style>img { opacity: 0.5 }</style>';
        const { animate } = Element.prototype;
        Element.prototype.animate = function (...values) {
          window.animation = animate.apply(this, values);
          animation.pause();
          return animation;
        };
      }""")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function("window.animation")
    opacity = "time => { animation.currentTime = time; return Number(getComputedStyle(document.images[0]).opacity) }"
    found = [round(page.evaluate(opacity, time), 2) for time in [0, 500, 999]]
    check("faded: up to the page's own opacity", found == [0, 0.25, 0.5], found)
    page.evaluate("window.animation = undefined")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.wait_for_timeout(300)
    check("faded: not for those who want less motion", page.evaluate("window.animation === undefined"))
    page.close()


def fetched(browser, origin, other):
    """Images that are to be fetched later, and with cookies."""
    page = browser.new_page(viewport={"width": 400, "height": 400})
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    asked.clear()
    page.evaluate("""document.body.innerHTML =
        '<p style="height: 20000px"></p><img loading=lazy src=/small/photo-q75.webp width=320 height=240>'""")
    page.wait_for_timeout(1000)
    check("lazy: it is not asked for far away", not asked, asked)
    page.evaluate("scrollTo(0, 20000)")
    page.wait_for_function(ALL_CONVERTED)
    check("lazy: it is shown where it is seen", True)
    show = "source => document.body.insertAdjacentHTML('beforeend', `<img crossorigin=use-credentials src=${source}>`)"
    page.evaluate(show, other + "/secret/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("document.images[1].naturalWidth")
    check("credentials: nothing without them", found == 0, found)
    page.context.add_cookies([{"name": "a", "value": "b", "url": other}])
    page.evaluate(show, other + "/secret/photo-q98.webp")
    page.wait_for_function("document.images[2].naturalWidth && document.images[2].currentSrc.startsWith('blob:')")
    check("credentials: with them, the picture", True)
    # As it is still coming for who asks in the other way.
    for name, attributes in [("icon-lossless", ["", "crossorigin=use-credentials"]),
                             ("photo-alpha-q75", ["crossorigin=use-credentials", ""])]:
        page.evaluate("""([source, attributes]) => {
            document.body.innerHTML = attributes.map(attribute => `<img ${attribute} src=${source}>`).join('');
          }""", [f"{other}/secret/{name}.webp?slow", attributes])
        page.wait_for_timeout(500)
        gate.set()
        page.wait_for_timeout(1500)
        found = page.evaluate(PICTURES + ".map(i => i.currentSrc.split(':')[0])")
        wanted = ["blob" if attribute else "http" for attribute in attributes]
        check(f"credentials: {attributes} at the same time", found == wanted, found)
        gate.clear()
    page.context.clear_cookies()
    page.close()


def broken(browser, origin):
    """Images that were broken before the polyfill came: the page has heard of it, and is not told again."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("window.events = []")
    names = ["small/none.webp", "small/none.png", "vectors/vp8l-version-1.webp", "vectors/vp8l-version-1.webp?x"]
    for name in names:
        page.evaluate("""name => {
            const image = new Image();
            image.onload = () => events.push('load ' + name);
            image.onerror = () => events.push('error ' + name);
            image.src = '/' + name;
            document.body.appendChild(image);
          }""", name)
    page.wait_for_function("events.length === 4")
    requests = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.evaluate(START, {})
    page.wait_for_timeout(2000)
    heard = page.evaluate("events")
    check("broken before: no second event", len(heard) == 4, heard)
    again = [url for url in requests if any(url.endswith("/" + name) for name in names)]
    check("broken before: looked at once", len(again) == 4 and len(set(again)) == 4, again)
    page.close()


def addresses(browser, origin):
    """What is no address stops nothing: not the style sheets, nor another candidate of the same image."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("""() => {
        document.head.innerHTML += '<style>p { background: url(/small/photo-q75.webp) }</style>';
        document.body.innerHTML =
          '<p style="background: url(http://)">A<p>B<img srcset="http:// 0.5x, /small/photo-q98.webp 1x">';
      }""")
    page.wait_for_function(ALL_LOADED)
    page.evaluate(START, {})
    page.wait_for_timeout(1500)
    found = page.evaluate("getComputedStyle(document.querySelectorAll('p')[1]).backgroundImage")
    check("addresses: style sheets beside what is none", found.startswith('url("blob:'), found)
    check("addresses: candidates beside what is none", page.evaluate(ALL_CONVERTED))
    for text, descriptor in [("/small/screenshot.webp 16w,/small/photo-q75.webp 160w", "160w"),
                             (",, /small/photo-q75.webp 320w 240h ,", "320w 240h"),
                             ("/small/none,a.webp 2x,/small/photo-q75.webp,", "")]:
        size = """text => {
            const image = new Image();
            image.sizes = '128px';
            image.srcset = text;
            document.body.textContent = '';
            document.body.appendChild(image);
          }"""
        plain = browser.new_page()
        plain.goto(origin + "/pages/empty.html")
        for each, loaded in [(plain, ALL_LOADED), (page, ALL_CONVERTED)]:
            each.evaluate(size, text)
            each.wait_for_function(loaded)
        found, wanted = [each.evaluate("document.images[0].naturalWidth") for each in (page, plain)]
        check(f"addresses: as wide as the browser's own: {text}", found == wanted, (found, wanted))
        found = page.evaluate("document.images[0].srcset.split(' ').slice(1).join(' ')")
        check("addresses: described as it was", found == descriptor, found)
        plain.close()
    page.close()
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    for text in ["url(", "url( "]:
        page.evaluate("text => document.body.style.content = `'${text.repeat(200000)}'`", text)
        page.evaluate("text => { document.body.style.quotes = `'url(${text.repeat(800000)}' ''` }", text[4:])
        taken = page.evaluate("""() => import('/pure-webp.js').then(async m => {
            const start = performance.now();
            (await m.polyfill({force: true})).stop();
            return performance.now() - start;
          })""")
        check("addresses: long text that is none is read once", taken < 30000, taken)  # minutes, if again and again
    page.close()


def progressive(browser, origin):
    page = browser.new_page(viewport={"width": 320, "height": 240})
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {"interval": 0})
    page.evaluate("""() => {
        window.loads = 0;
        const image = new Image();
        image.onload = () => loads++;
        image.src = '/slow/photo-q98.webp';
        document.body.appendChild(image);
      }""")
    page.wait_for_function("document.images[0].currentSrc.startsWith('blob:') && document.images[0].naturalWidth")
    page.wait_for_timeout(300)
    half = shot(page)
    whole = Image.open(FOLDERS["small"] / "photo-q98.webp").convert("RGB")
    rows = next((y for y in range(240) if half.getpixel((160, y)) == (0, 0, 255)), 240)
    check(f"half of the bytes: the {rows} rows that there are", 60 < rows < 200, rows)
    box = (0, 0, 320, rows)
    check("half of the bytes: they are as libwebp's", not differs(half.crop(box), whole.crop(box)),
          differs(half.crop(box), whole.crop(box)))
    check("half of the bytes: no load event yet", page.evaluate("loads") == 0)
    gate.set()
    page.wait_for_function("loads === 1")
    page.wait_for_timeout(300)
    check("then the other half", not differs(shot(page), whole), differs(shot(page), whole))
    check("one load event", page.evaluate("loads") == 1)
    page.close()
    gate.clear()


def worker(browser, origin):
    """Decoding is the worker's business, and its memory comes back."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {"idle": 1000})
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("worker: it is there", len(page.workers) == 1, page.workers)
    page.wait_for_timeout(2500)
    check("worker: it ends when it is idle", not page.workers, page.workers)
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(f"{PICTURES}.length === 2 && {ALL_CONVERTED}")
    check("worker: it starts again", len(page.workers) == 1, page.workers)
    page.close()


def broken_worker(browser, origin):
    page = browser.new_page()
    page.route("**/pure-webp-worker.js", lambda route: route.fulfill(
        content_type="text/javascript", body="onmessage = () => { throw new Error(); }"))
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("worker: one that fails ends, and the page decodes", not page.workers, page.workers)
    page.close()


def policy(browser, origin):
    """The strictest policy that README.md tells of: no workers."""
    page = browser.new_page()
    page.goto(origin + "/strict/empty.html")
    found = page.evaluate("import('/pure-webp.js').then(m => m.polyfill())")
    check("policy: where the browser shows WebP, nothing is done", found is None, found)
    page.evaluate(START, {})
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(2000)  # waiting for a function is forbidden, too
    check("policy: without workers, the page decodes", page.evaluate(ALL_CONVERTED) and not page.workers)
    page.goto(origin + "/strict/empty.html?own")
    found = page.evaluate("import('/pure-webp.js').then(m => m.polyfill()).then(p => p && 'done')")
    check("policy: where images may have no object URLs, nothing is done", found is None, found)
    page.evaluate("document.body.style.background = 'url(/small/photo-q75.webp)'")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("[document.images[0].naturalWidth, document.body.style.background.slice(5, 11)]")
    check("policy: and the browser shows what it can", found == [320, "/small"], found)
    page.close()


def origins(browser, origin, other):
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    page.evaluate(SHOW, other + "/shared/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("another origin that allows it", True)
    # A file that a script has, with which the browser fails: here it is only said so.
    page.evaluate("""fetch('/small/photo-q75.webp').then(r => r.blob()).then(blob => {
        const image = new Image();
        window.events = [];
        for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
        image.src = URL.createObjectURL(blob);
        document.body.appendChild(image);
        return new Promise(done => image.addEventListener('load', done)).then(() => {
          image.dispatchEvent(new Event('error'));
        });
      })""")
    page.wait_for_timeout(1000)
    found = page.evaluate("fetch(document.images[1].src).then(r => r.blob()).then(b => [b.type, events])")
    check("a page's own object URL", found == ["image/png", ["load", "load"]], found)
    page.evaluate("document.images[1].dispatchEvent(new Event('error'))")
    page.wait_for_timeout(1000)
    found = page.evaluate("events")
    check("what the browser fails to show of ours", found == ["load", "load", "error"], found)
    page.evaluate("document.images[1].remove()")
    page.evaluate(SHOW, other + "/small/photo-q98.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("[document.images[1].currentSrc, document.images[1].naturalWidth]")
    check("another origin that does not: left to the browser", found == [other + "/small/photo-q98.webp", 320], found)
    page.close()


def style_sheets(browser, origin):
    """Rules that come to apply later, by what the page does not tell; and pictures that are not there."""
    page = browser.new_page(viewport={"width": 400, "height": 400})
    page.goto(origin + "/pages/empty.html")
    page.evaluate("""() => {
        document.head.innerHTML += `<style>
          [data-theme=dark] #theme { background: url(/small/photo-q75.webp) }
          #c:checked + #state { background: url(/small/photo-q75.webp) }
          #within:focus-within { background: url(/small/photo-q75.webp) }
          details[open] #open { background: url(/small/photo-q75.webp) }
          .x\\\\:y #escaped { background: url(/small/photo-q75.webp) }
          #named { background: url(/small/photo-q75.webp) }
          @media (min-width: 500px) { #wide { background: url(/small/photo-q98.webp) } }
          @media print { #print { background: url(/small/icon-lossy.webp) } }
          #none { background: url(/small/none.webp) }
        </style>`;
        document.body.innerHTML = `<p id=theme><input type=checkbox id=c></p><p id=within><a href=x>x</a></p>
          <details><summary>x</summary><p id=open></p></details><p id=escaped><p id=wide><p id=print><p id=none><p style="background: url(/small/nowhere.webp)">`;
        document.querySelector('#c').insertAdjacentHTML('afterend', '<p id=state>');
      }""")
    asked.clear()
    page.evaluate(START, {})
    background = "getComputedStyle(document.querySelector('#%s')).backgroundImage.slice(5, 9)"
    page.wait_for_function("Array.from(document.styleSheets[0].cssRules).some(r => r.cssText.includes('blob:'))")
    page.evaluate("""() => {
        document.documentElement.dataset.theme = 'dark';
        document.querySelector('#c').checked = true;
        document.querySelector('a').focus();
        document.querySelector('details').open = true;
      }""")
    page.wait_for_timeout(500)
    found = [page.evaluate(background % name) for name in ["theme", "state", "within", "open"]]
    check("style sheets: what comes to apply unseen is shown", set(found) == {"blob"}, found)
    page.evaluate("document.body.className = 'x:y'")
    page.wait_for_function(background % "escaped" + " === 'blob'")
    page.evaluate("document.querySelector('#escaped').id = 'named'")
    page.wait_for_timeout(500)
    found = page.evaluate(background % "named")
    check("style sheets: what an id makes apply is shown", found == "blob", found)
    for _ in range(20):
        page.evaluate("""new Promise(done => {
            document.body.classList.toggle('z');
            setTimeout(done, 60);
          })""")
    again = [name for name in asked if "none.webp" in name or "nowhere.webp" in name]
    # Each by the browser and by the polyfill.
    check("style sheets: what is not there is asked for once", len(again) <= 4, again)
    reads = page.evaluate("""() => {
        const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'styleSheets');
        let reads = 0;
        Object.defineProperty(document, 'styleSheets', { get() { reads += 1; return get.call(document) } });
        const read = change => new Promise(done => {
          reads = 0;
          change();
          setTimeout(() => done(reads), 200);
        });
        const clock = document.createElement('p');
        return read(() => document.body.append(clock)).then(element =>
          read(() => { clock.textContent = '12:00' }).then(text => [element, text]));
      }""")
    check("style sheets: elements have them read, and text has not", reads == [1, 0], reads)
    others = [name for name in asked if "q98" in name or "icon" in name]
    check("style sheets: what is for other media is not asked for", not others, others)
    page.set_viewport_size({"width": 600, "height": 400})
    page.wait_for_function(background % "wide" + " === 'blob'")
    page.emulate_media(media="print")
    page.wait_for_function(background % "print" + " === 'blob'")
    check("style sheets: when the media change, it is", True)
    page.close()


def late_sheets(browser, origin):
    """Style sheets that take their time; and one that is for print until it is there, so that nothing waits for it."""
    link = "<link rel=stylesheet href=/late.css "
    for what, sheet in [("imported", "<style>@import url(/late.css);</style>"), ("linked", link + ">"),
                        ("for print at first", link + "media=print onload='this.media = `all`'>")]:
        page = browser.new_page()
        page.goto(origin + "/pages/empty.html")
        routes = []
        page.route("**/late.css", lambda route: routes.append(route))
        page.evaluate(START, {})
        page.evaluate("sheet => { document.body.innerHTML = sheet + '<p>' }", sheet)
        page.wait_for_timeout(500)
        routes[0].fulfill(content_type="text/css", body="p { background: url(/small/photo-q75.webp) }")
        page.wait_for_timeout(1000)
        found = page.evaluate("getComputedStyle(document.querySelector('p')).backgroundImage")
        check(f"late style sheets: {what}", found.startswith('url("blob:'), found)
        page.close()


def style_rules(browser, origin, other):
    """Several pictures in one rule, of which one is none, and one comes late; and what another origin keeps."""
    page = browser.new_page()
    page.route(other + "/sheet.css", lambda route: route.fulfill(content_type="text/css", body="i { color: red }"))
    page.goto(origin + "/pages/empty.html")
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate("""other => {
        document.head.innerHTML += `<style>
          @import url(${other}/sheet.css);
          #imported { background: url(/small/photo-q75.webp) }
          #none { background: url(/small/photo-q75.webp), url(/small/none.webp), url(/known) }
          #late { background: url(/small/icon-lossless.webp), url(/slow/photo-q98.webp) }
        </style>`;
        document.body.innerHTML = '<i>A</i><p id=imported><p id=none><p id=late>';
      }""", other)
    page.wait_for_function("getComputedStyle(document.querySelector('i')).color === 'rgb(255, 0, 0)'")
    page.evaluate(START, {"cacheBytes": 1})
    urls = "getComputedStyle(document.querySelector('#%s')).backgroundImage.split(', ').map(url => url.slice(5, -2))"
    page.wait_for_function(urls % "imported" + "[0].startsWith('blob:')")
    check("style sheets: beside an import of another origin", True)
    page.wait_for_function(urls % "none" + "[0].startsWith('blob:')")
    found = page.evaluate(urls % "none")[1:]
    check("style sheets: pictures beside what is none", found == [origin + "/small/none.webp", origin + "/known"], found)
    page.evaluate(SHOW, "/small/photo-alpha-q75.webp")  # and others would go from the cache
    page.wait_for_function(ALL_CONVERTED)
    page.wait_for_timeout(1000)
    gate.set()
    page.wait_for_function(urls % "late" + ".every(url => url.startsWith('blob:'))")
    found = page.evaluate(f"Promise.all({urls % 'late'}.map(url => fetch(url).then(() => true, () => false)))")
    check("style sheets: pictures that wait for others are kept", found == [True, True], found)
    gate.clear()
    page.close()


def style_attributes(browser, origin):
    """Their pictures are kept as long as their elements are there, and come back with them."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate(START, {"cacheBytes": 1})
    page.evaluate("""() => {
        window.p = document.createElement('p');
        p.style.background = 'url(/small/photo-q75.webp), url(/small/icon-lossless.webp)';
        document.body.appendChild(p);
      }""")
    urls = "p.style.backgroundImage.split(', ').map(url => url.slice(5, -2))"
    there = f"Promise.all({urls}.map(url => fetch(url).then(r => url.startsWith('blob:'), () => false)))"
    shown = there + ".then(all => all.every(Boolean))"
    wait_for(page, shown)
    for name in ["photo-q98", "photo-alpha-q75"]:
        page.evaluate(SHOW, f"/small/{name}.webp")
        page.wait_for_function(ALL_CONVERTED)
    page.wait_for_timeout(1000)
    check("style attributes: their pictures are kept", page.evaluate(shown))
    page.evaluate("p.remove()")
    page.evaluate(SHOW, "/small/photo-lossless.webp")
    wait_for(page, there + ".then(all => !all.some(Boolean))")
    check("style attributes: those of elements that are not there are let go", True)
    page.evaluate("document.body.appendChild(p); 0")
    wait_for(page, shown)
    check("style attributes: and come back", True)
    page.close()


def copies(browser, origin):
    """Copies of images are shown, of the whole though it was still coming, and though its object URL was let go."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    # What waits for seconds does so for less: for object URLs to go.
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate(START, {"interval": 0, "cacheBytes": 1})
    copy = "document.body.appendChild(document.images[0].cloneNode())"
    gone = "url => fetch(url).then(() => false, () => true)"
    page.evaluate(SHOW, "/slow/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    part = page.evaluate("document.images[0].src")
    page.evaluate(f"window.early = {copy}; 0")
    gate.set()
    wait_for(page, gone, part)
    page.wait_for_function(f"early.src === document.images[0].src && {ALL_CONVERTED}")
    check("copies: of what was still coming", True)
    gate.clear()
    whole = page.evaluate("document.images[0].src")
    page.evaluate("window.late = document.images[0].cloneNode(); 0")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    wait_for(page, gone, whole)
    page.evaluate("document.body.innerHTML += '<img srcset=\"' + document.images[0].src + ' 2x\">'")
    gate.set()
    page.wait_for_function(f"{PICTURES}.length === 4 && {ALL_CONVERTED}")
    check("copies: of what was let go", page.evaluate("document.images[3].naturalWidth") == 160)
    gate.clear()
    page.evaluate("document.body.textContent = ''")
    page.evaluate(SHOW, "/slow/photo-q98.webp?cut")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate("window.cut = document.images[0].cloneNode(); 0")
    gate.set()
    page.wait_for_function("document.images[0].src.startsWith('http')")
    asked.clear()
    page.evaluate("document.body.appendChild(cut); 0")
    page.wait_for_timeout(2000)
    check("copies: what never becomes whole is tried no more than once", len(asked) < 5, len(asked))
    gate.clear()
    page.close()


def old_browser(browser, origin):
    """Where the global object has no name of its own, as before Safari 12.1 and Firefox 65."""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("""async start => {
        const it = globalThis;
        delete window.globalThis;
        await import('/pure-webp.js').then(m => m.polyfill({ force: true })).finally(() => { window.globalThis = it });
      }""")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("old browser: without globalThis", True)
    page.close()


TIMES = """async (url, type) => {
    const decoder = new ImageDecoder({ data: await (await fetch(url)).arrayBuffer(), type });
    await decoder.tracks.ready;
    await decoder.completed;
    const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
    const times = [repetitionCount];
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
      times.push((await decoder.decode({ frameIndex })).image.duration);
    }
    return times;
  }"""


def animation(browser, origin):
    """What plays is an animated PNG: the browser keeps the time. (animations.py compares the frames.)"""
    page = browser.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate(START, {})
    for name in ["animation-full-frames.webp", "encoder-img2webp-animation.webp", "encoder-pillow-animation.webp"]:
        page.evaluate("""name => {
            document.body.textContent = '';
            const image = new Image();
            image.src = '/vectors/' + name;
            document.body.appendChild(image);
          }""", name)
        page.wait_for_function("document.images[0].complete && document.images[0].currentSrc.startsWith('blob:')")
        wanted = page.evaluate(f"({TIMES})('/vectors/{name}', 'image/webp')")
        found = page.evaluate(f"({TIMES})(document.images[0].currentSrc, 'image/png')")
        check(f"{name}: {len(wanted) - 1} frames, loops and times as Chromium reads them", found == wanted,
              (found, wanted))
    page.close()


def with_service_worker(browser, origin, script="/pure-webp-sw.js?force"):
    context = browser.new_context(viewport={"width": 700, "height": 1100})
    page = context.new_page()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("script => navigator.serviceWorker.register(script).then(() => navigator.serviceWorker.ready)", script)
    page.wait_for_function("navigator.serviceWorker.controller")
    return context, page


def service_worker(browser, origin, wanted):
    context, page = with_service_worker(browser, origin)
    types = {}
    page.on("response", lambda r: types.update({r.url.split("/")[-1]: r.headers.get("content-type")}))
    page.goto(origin + "/pages/pictures.html")
    page.evaluate("addLater()")
    page.wait_for_function(ALL_LOADED)
    page.wait_for_timeout(500)
    compare("service worker", page, wanted)
    pictures = {name: kind for name, kind in types.items() if name.endswith(".webp")}
    check("service worker: all pictures are PNG", pictures and set(pictures.values()) == {"image/png"}, pictures)
    gate.clear()
    page.goto(origin + "/pages/empty.html")
    page.evaluate("document.body.innerHTML = '<img src=/slow/photo-q98.webp>'")
    page.wait_for_function("document.images[0].naturalWidth === 320")
    page.wait_for_timeout(1000)
    half = shot(page, clip={"x": 0, "y": 0, "width": 320, "height": 240})
    rows = next((y for y in range(240) if half.getpixel((160, y)) == (0, 0, 255)), 240)
    check(f"service worker: {rows} rows of half of the bytes", 40 < rows < 200, rows)
    gate.set()
    context.close()
    gate.clear()
    context, page = with_service_worker(browser, origin)
    # More than a browser has connections to a host, which are six.
    page.evaluate("html => { document.body.innerHTML = html }",
                  "".join(f"<img src=/slow/photo-q98.webp?{number}>" for number in range(8)))
    page.wait_for_function(f"{PICTURES}.some(image => image.naturalWidth)")
    check("service worker: the decoder comes before pictures that hold all connections", True)
    gate.set()
    page.wait_for_function(ALL_LOADED)
    context.close()
    gate.clear()


def service_worker_alone(browser, origin, other):
    """What is none of the service worker's business."""
    context, page = with_service_worker(browser, origin, "/pure-webp-sw.js")
    answers = []
    page.on("response", lambda r: answers.append((r.headers.get("content-type"), r.from_service_worker)))
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_LOADED)
    check("service worker: none for a browser that knows WebP", answers == [("image/webp", False)], answers)
    context.close()
    context, page = with_service_worker(browser, origin)
    found = page.evaluate("fetch('/small/photo-q75.webp').then(r => r.blob()).then(b => [b.size, b.type])")
    file = FOLDERS["small"] / "photo-q75.webp"
    check("service worker: scripts fetch the file itself", found == [file.stat().st_size, "image/webp"], found)
    found = page.evaluate("""new Promise(done => {
        const request = new XMLHttpRequest();
        request.onload = () => done(request.getResponseHeader('Content-Type'));
        request.open('GET', '/small/photo-q75.webp');
        request.send();
      })""")
    check("service worker: the old way, too", found == "image/webp", found)
    context.add_cookies([{"name": "a", "value": "b", "url": other}])
    asked.clear()
    for name in ["/known", "/known.webp"]:  # the second one is looked at
        page.evaluate(SHOW, other + name)
        page.wait_for_function(ALL_LOADED)
    found = page.evaluate(PICTURES + ".map(i => i.naturalWidth)")
    check("service worker: another origin's PNG is the one that was asked for", found == [20, 20], found)
    again = [path for path in asked if path.startswith("/known")]
    check("service worker: it is asked for once", again == ["/known", "/known.webp", "/known.webp"], again)
    download(page, "service worker", other)
    context.close()
    context, page = with_service_worker(browser, origin, "/pure-webp-sw.js?force&old")
    types = {}
    page.on("response", lambda r: types.update({r.url.split("/")[-1]: r.headers.get("content-type")}))
    for name in ["photo-q75.webp", "icon-lossless.webp"]:
        page.evaluate(SHOW, "/small/" + name)
    page.evaluate(SHOW, "/known")
    page.wait_for_function(f"{PICTURES}.length === 3 && {ALL_LOADED}")
    check("service worker: without streams", set(types.values()) == {"image/png"} and len(types) == 3, types)
    context.close()


def demo(browser, origin):
    """The demo shows what it says. Its server is there for this machine alone; and it gives away no more than its folders, nor does ours."""
    process = subprocess.Popen(
        [sys.executable, WASM / "demo/serve", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(process.stdout.readline().split(":")[2].split("/")[0])
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(f"http://localhost:{port}/demo/")
        page.wait_for_function("document.querySelectorAll('#times tr').length === 4 && !again.disabled")
        found = page.evaluate("[rows.textContent, again.disabled, support.textContent.length > 0]")
        check("demo: the picture comes to its end", found == ["240 of 240 rows", False, True], found)
        found = page.evaluate("Array.from(times.rows).map(row => row.cells[4].textContent)")
        is_right = all(float(text.split()[0]) > 0 and "Infinity" not in text for text in found)
        check("demo: times are numbers", is_right, found)
        check("demo: no errors", not errors, errors)
        page.close()
        for name, at in [("demo", port), ("tests", int(origin.split(":")[2]))]:
            for path in ["/small/../../README.md", "/small/../../../../../../../../etc/passwd", "/..", "/../README.md"]:
                found = status(at, path)
                check(f"{name}: {path} is not found", found == 404, found)
            found = status(at, "/small/none.webp"), status(at, "/trickle/none.webp")
            check(f"{name}: none is not", found == (404, 404), found)
            found = status(at, "/small/photo-q75.webp")
            check(f"{name}: a picture is", found == 200, found)
        try:
            found = status(port, "/demo/", "127.0.0.2")
        except OSError:
            found = None
        check("demo: at other addresses nobody listens", found is None, found)
    finally:
        process.kill()
        process.wait()


def status(port, path, host="127.0.0.1"):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def serve():
    """The origin of a server that runs as long as the tests."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def main():
    origin, other = serve(), serve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        wanted = native(browser, origin)
        tests = [
            lambda: polyfilled(browser, origin, wanted, True), lambda: polyfilled(browser, origin, wanted, False),
            lambda: events(browser, origin), lambda: changed(browser, origin), lambda: resized(browser, origin),
            lambda: sources(browser, origin), lambda: faded(browser, origin),
            lambda: fetched(browser, origin, other), lambda: broken(browser, origin), lambda: addresses(browser, origin),
            lambda: progressive(browser, origin), lambda: worker(browser, origin), lambda: stopped(browser, origin),
            lambda: broken_worker(browser, origin), lambda: style_sheets(browser, origin),
            lambda: late_sheets(browser, origin), lambda: style_rules(browser, origin, other),
            lambda: copies(browser, origin), lambda: style_attributes(browser, origin),
            lambda: old_browser(browser, origin), lambda: policy(browser, origin), lambda: origins(browser, origin, other),
            lambda: animation(browser, origin), lambda: service_worker(browser, origin, wanted),
            lambda: service_worker_alone(browser, origin, other), lambda: demo(browser, origin),
        ]
        for test in tests:
            try:
                test()
            except Exception as error:  # a page that never gets there: the next test is of use all the same
                check("a test", False, error)
        browser.close()
    sys.exit(f"{len(failures)} failed" if failures else 0)


main()
