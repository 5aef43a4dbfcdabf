"""Proves that the scripts do no harm to pages: to those that overload them, and to those that do not need them.
Expected values: the behavior of the same browser with WebP, and values that are written here."""
import io
import json
import re
import threading
import time

from PIL import Image

from cells import register
from features import POLYFILL, SHOWN, add, box, check_console, holds, open_page
from website import HIDDEN, IMAGES, SNIPPETS, WASM, Handler, Site

# The policy in README.md. Old browsers know only 'unsafe-eval'.
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; img-src 'self' blob:; worker-src 'self'"


FAILURES = """
window.heard = [];
window.violations = [];
window.own = () => !HTMLImageElement.prototype.hasOwnProperty("onload");
// Each image of the page has this listener, as if in its attribute, which a policy may forbid.
new MutationObserver(records => records.forEach(({ addedNodes }) => addedNodes.forEach(node => {
  if (node.localName === "img") node.onerror = () => heard.push(new URL(node.src).pathname);
}))).observe(document, { childList: true, subtree: true });
addEventListener("securitypolicyviolation", event => violations.push(event.blockedURI), true);
"""


def webp(image, **options):
    data = io.BytesIO()
    image.save(data, "WEBP", **options)
    return "image/webp", data.getvalue()


def overload(engine, check, name):
    show_large(engine, check, name, "overload")


def overload_service_worker(engine, check, name):
    show_large(engine, check, name, "overload, service worker")


def show_large(engine, check, name, what):
    """Large images of one color, in a few bytes, and then a photo."""
    site = Site("service worker" if "service" in what else "")
    site.headers["Content-Security-Policy"] = POLICY
    color = (200, 190, 180)
    site.files["/large.webp"] = webp(Image.new("RGB", (8000, 8000), color), lossless=True, method=0, quality=0)
    if site.mode and not register(engine, site):
        return check(f"{what}: the service worker controls the page", False)
    open_page(engine, site)
    if site.mode:
        # Not large, but of one color. The answer is a stream, which has no other size than the file.
        site.files["/medium.webp"] = webp(Image.new("RGB", (2100, 2000), color), lossless=True)
        engine.evaluate("(document.body.innerHTML = '<img src=/medium.webp>', 0)")
        shown = holds(engine, "document.images[0].naturalWidth === 2100")
        check(f"{what}: a stream has the size of the file", shown, engine.evaluate("document.images[0].naturalWidth"))
    time.sleep(1)
    memory, processor = engine.memory(), engine.processor_time()
    samples, ended = [], threading.Event()

    def watch():
        while not ended.wait(0.05):
            samples.append(engine.memory() - memory)

    watcher = threading.Thread(target=watch)
    watcher.start()
    if not site.mode:
        engine.evaluate(f"{POLYFILL % ''}.then(() => 0)")
    images = "".join(f"<img width=100 src=/large.webp?{number}>" for number in range(16))
    engine.evaluate(f"(document.body.innerHTML = '{images}<img src=/images/photo-q75.webp>', 0)")
    shown = holds(engine, SHOWN.replace(" && i.currentSrc.startsWith('blob:')", "") if site.mode else SHOWN, 60)
    time.sleep(0.5)
    screen = engine.screenshot()
    ended.set()
    watcher.join()
    # In WebKit, the natural size of an SVG is the size at which it is shown.
    size = "width" if name == "webkit" else "naturalWidth"
    found = engine.evaluate(f"Array.from(document.images, image => [image.{size}, image.height])")
    expected = [[100 if name == "webkit" else 8000, 100]] * 16 + [[320, 240]]
    check(f"{what}: all images are shown, in their sizes", shown and found == expected, found)
    left, top, *_ = box(engine, 10)
    found = [screen.getpixel((left + at, top + at)) for at in (1, 50, 98)]
    check(f"{what}: they have their color", found == [color] * 3, found)
    check(f"{what}: {max(samples) >> 20} MiB more than before, at most 500 MB", max(samples) < 500e6)
    processor = engine.processor_time() - processor
    check(f"{what}: {processor:.1f} s of processor time, at most 1 s for each image", processor < 16)


def service_worker_pixels(engine, check, name):
    """Large images of black and white columns. Those that exceed what the service worker permits are gray, in their sizes."""
    site = Site("service worker")
    image = Image.new("L", (6000, 6000))
    for column in range(1, 6000, 2):
        image.paste(255, (column, 0, column + 1, 6000))
    site.files["/columns.webp"] = webp(image, lossless=True, method=0, quality=0)
    if not register(engine, site):
        return check("service worker, pixels: it controls the page", False)
    image = "<img style='width: 100px; height: 100px; object-fit: none' src=/columns.webp?{}>"
    images = "".join(map(image.format, range(3)))
    engine.evaluate(f"(document.body.innerHTML = `{images}`, 0)")
    shown = holds(engine, "Array.from(document.images).every(i => i.complete && i.naturalWidth)", 60)
    time.sleep(2)
    screen = engine.screenshot()
    found = [[screen.getpixel((left + x, top + 50))[0] for x in (50, 51)]
             for left, top, *_ in (box(engine, number) for number in range(3))]
    isGray = [all(80 < value < 175 for value in pixels) for pixels in found]
    check("service worker, pixels: two of three have fewer", shown and sorted(isGray) == [False, True, True], found)


SHARED = """Promise.all(Array.from(document.images, image => fetch(image.src).then(r => r.text()).then(text => {
    const [, png] = /base64,([^"]*)/.exec(text) || [];
    return [image.width, image.height, png ? Array.from(atob(png).slice(18, 24), each => each.charCodeAt(0)) : "PNG"];
  })))"""


def shared_pixels(engine, check, name):
    """Images that exceed what the page may show have fewer pixels, but not fewer than the screen shows, and their sizes. They
    have more when the screen shows more, or when others are removed."""
    site = Site()
    open_page(engine, site)
    engine.evaluate("(URL.revokeObjectURL = () => {}, 0)")  # the test reads images later
    engine.evaluate(f"{POLYFILL % 'shownPixels: 2 ** 18, cacheBytes: 0'}.then(() => 0)")

    def show(*images):
        elements = "".join(
            f"<img width={width} height={width * 3 // 4} src=/images/photo-q75.webp?{number}>" for width, number in images)
        add(engine, elements)
        return holds(engine, SHOWN) and engine.evaluate(SHARED)

    # A third has 107 x 80 pixels, but a browser may not know the height of a box before.
    half = [0, 160, 0, 0, 0, 120]
    found = show(*((100, number) for number in range(6))) or []
    smaller = [number for number, (*_, kind) in enumerate(found) if kind == half]
    kinds = [kind for *_, kind in found]
    check("shared pixels: some images are smaller", smaller and kinds.count("PNG") >= 2, found)
    check("shared pixels: all have their sizes", [size for *size, _ in found] == [[100, 75]] * 6, found)
    which = smaller[-1] if smaller else 0
    expected = Image.open(IMAGES / "photo-q75.webp").convert("RGB").resize((10, 8), Image.Resampling.BOX)
    time.sleep(0.5)
    part = engine.screenshot().crop(box(engine, which)).resize((10, 8), Image.Resampling.BOX)
    most = max(abs(a - b) for one, two in zip(part.getdata(), expected.getdata()) for a, b in zip(one, two))
    check("shared pixels: a smaller image looks like the file", most < 40, most)
    found = show((300, which))
    check("shared pixels: a larger element has all", found and found[6][2] == "PNG", found)
    engine.evaluate(f"(document.querySelectorAll('img').forEach((image, number) => number === {which} || image.remove()), 0)")
    found = show((100, 8))
    check("shared pixels: removed images do not count", found and [kind for *_, kind in found][1:] == ["PNG"], found)


def animated_pixels(engine, check, name):
    """An animation has all its frames, or shows the first one."""
    frames = [Image.new("RGB", (100, 100), color) for color in ["red", "lime", "blue"]]
    site = Site()
    site.files["/animation.webp"] = webp(frames[0], save_all=True, append_images=frames[1:], duration=1000, lossless=True)
    for most, expected in [(30000, [100, True, None]), (29999, [100, False, None])]:
        open_page(engine, site)
        engine.evaluate("(window.failure = null, 0)")
        options = f"shownPixels: {most}, onError: error => {{ failure = error.message }}"
        engine.evaluate(f"{POLYFILL % options}.then(() => 0)")
        engine.evaluate("(document.body.innerHTML = '<img src=/animation.webp>', 0)")
        state = """fetch(document.images[0].currentSrc).then(r => r.text()).then(text =>
            [document.images[0].naturalWidth, text.includes("acTL"), failure])"""
        holds(engine, f"{state}.then(found => String(found) === '100,{str(expected[1]).lower()},')", 5)
        time.sleep(0.5)
        found = engine.evaluate(state)
        check(f"animated pixels: three frames of 10,000, at most {most}", found == expected, found)


def worker_pixels(engine, check, name):
    """decodeInWorker takes one large image at a time, and four small ones."""
    site = Site()
    site.files["/large.webp"] = webp(Image.new("RGB", (5000, 4000)), lossless=True, method=0, quality=0)
    open_page(engine, site)
    engine.evaluate("""(window.open = new Set(), window.most = 0, window.own = Worker, window.Worker = function (url) {
        const worker = new own(url);
        const post = worker.postMessage;
        worker.postMessage = message => {
          if (message.value) open.add(message.id); // bytes of a file
          most = Math.max(most, open.size);
          post.call(worker, message);
        };
        worker.addEventListener("message", ({ data }) => data.done && open.delete(data.id));
        return worker;
      }, 0)""")
    for path, count, expected in [("/large.webp", 5, [5000, 1]), ("/images/photo-q75.webp", 12, [320, 4])]:
        found = engine.evaluate(f"""import("/pure-webp.js").then(m => fetch("{path}").then(r => r.arrayBuffer()).then(bytes => {{
            most = 0;
            return Promise.all(Array.from({{ length: {count} }}, () => m.decodeInWorker(bytes).then(image => image.width)));
          }})).then(widths => [...new Set(widths), most])""")
        check(f"worker pixels: {path}, at most {expected[1]} at the same time", found[0] == expected[0] and
              found[1] <= expected[1], found)


def order(engine, check, name):
    """Four images whose files stop hold all turns. Of eight others, the visible ones are next. A large one waits for its file."""
    site = Site()
    site.files["/large.webp"] = webp(Image.new("RGB", (5000, 4000)), method=0)
    photo = "/images/photo-q75.webp"
    held = site.stall("/large.webp?large0", 100)
    stalled = [site.stall(f"{photo}?stalled{number}", 100) for number in range(4)]
    open_page(engine, site)
    engine.evaluate(f"{POLYFILL % ''}.then(() => 0)")
    engine.evaluate("""(window.heard = [], document.addEventListener("load", ({ target }) => {
        heard.push(target.id);
      }, true), 0)""")

    def begin(kind, top, path=photo, count=4):
        images = "".join(f"<img id={kind} width=50 src={path}?{kind}{number}>" for number in range(count))
        add(engine, f"<div style='position: absolute; top: {top}px'>{images}</div>")
        end = time.monotonic() + 2
        while sum(kind in path and not is_own for path, is_own, _ in site.received) < count and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.2)

    begin("large", 0, "/large.webp", 1)
    begin("stalled", 100)
    begin("hidden", 9000)
    begin("visible", 200)
    for event in stalled:
        event.set()
    shown = holds(engine, "heard.length === 12", 20)
    found = engine.evaluate("heard")
    check("order: small images do not wait for a large one", shown and "large" not in found, found)
    waiting = [each for each in found if each in ("visible", "hidden")]
    check("order: visible images are first", waiting[:2] == 2 * ["visible"] and waiting[-2:] == 2 * ["hidden"], found)
    held.set()
    check("order: the large one is shown", holds(engine, "heard[12] === 'large'"), engine.evaluate("heard"))


def snippets(engine, check, name):
    """All snippets of README.md together, in a browser with WebP, also under a policy that forbids everything else."""
    check("snippets: README.md has three", len(SNIPPETS) == 3, SNIPPETS)
    for policy in ["", "default-src 'self'"]:
        # `hides` would take WebP from the browser. Safari before 15 has no createImageBitmap.
        for bitmaps in ["", HIDDEN]:
            site = Site(hides=False)
            site.headers.update({"Content-Security-Policy": policy} if policy else {})
            site.files["/first.js"] = ("text/javascript", (bitmaps + FAILURES).encode())
            tags = "".join(f"<script type=module src=/snippet{number}.js></script>" for number in range(len(SNIPPETS)))
            for number, script in enumerate(SNIPPETS):
                site.files[f"/snippet{number}.js"] = ("text/javascript", script.encode())
            site.files["/page.html"] = ("text/html", f"""<!doctype html><link rel=icon href=/fallback.png>
                <script src=/first.js></script><script src=/pure-webp-head.js></script>{tags}
                <body><img src=/images/none.webp><img src=/images/photo-q75.webp>""".encode())
            engine.goto(site.origin + "/page.html")
            what = f"snippets, {policy or 'no policy'}{', without createImageBitmap' if bitmaps else ''}"
            heard = holds(engine, "heard.length", 5)
            time.sleep(1)
            found = engine.evaluate("[heard.length, violations, own(), document.images[1].naturalWidth]")
            check(f"{what}: one error, immediately, and nothing else changes", heard and found == [1, [], True, 320], found)
            found = engine.evaluate("import('/pure-webp.js').then(m => m.isSupported())")
            check(f"{what}: WebP is supported", found is True, found)
            loaded = [path for path in site.asked if re.search("worker|wasm", path)]
            check(f"{what}: no decoder is loaded", not loaded, loaded)
            check_console(engine, check, what, 0)


def unknown_support(engine, check, name):
    """A policy that forbids all images does not make a browser one without WebP."""
    site = Site(hides=False)
    site.headers["Content-Security-Policy"] = POLICY.replace("'self' blob:;", "'none';")
    site.files["/start.js"] = ("text/javascript", (HIDDEN + FAILURES).encode())
    open_page(engine, site, "<img src=/images/photo-q75.webp>")
    found = engine.evaluate("""import("/pure-webp.js").then(m => Promise.all([m.isSupported(), m.polyfill()])).then(
        ([isSupported, { status, error }]) => [isSupported === undefined, status, error])""")
    check("unknown support: it is no failure", found == [True, "unneeded", None], found)


def versions(engine, check, name):
    """A file from a cache has another version: one message, and the browser's own errors."""
    version = json.loads((WASM / "package.json").read_text())["version"]

    def add_old(site, path, before, after):
        file = (WASM / f"dist{path}").read_bytes()
        check(f"versions: {path} has one", before.encode() in file)
        site.files[path] = (Handler.guess_type(Handler, path), file.replace(before.encode(), after.encode()))

    for file in ["worker", "core", "module"]:
        site = Site()
        what = f"pure-webp-{file}.js"
        if file == "module":
            what = "the decoder's module"
            for path in ["/pure-webp.wasm", "/pure-webp-simd.wasm"]:
                add_old(site, path, "\1v" + version, "\1v0.0.9")
        else:
            add_old(site, f"/pure-webp-{file}.js", f'"{version}"', '"0.0.9"')
        open_page(engine, site)
        engine.evaluate("(window.errors = [], window.heard = [], 0)")
        engine.evaluate(f"{POLYFILL % 'onError: (error, url) => url || errors.push(error.message)'}.then(r => (window.result = r, 0))")
        engine.evaluate("""(document.body.innerHTML = '<img onerror="heard.push(1)" src=/images/photo-q75.webp>', 0)""")
        failed = holds(engine, "result.status === 'failed' && heard.length")
        time.sleep(0.5)
        found = engine.evaluate("[errors, heard.length]")
        expected = [[f"{what} has version 0.0.9, not {version}"], 1]
        check(f"versions: an old {file} is one message, and each image fails once", failed and found == expected, found)
        check_console(engine, check, f"versions: an old {file}")
        files = [path for path in site.asked if re.match(r"/pure-webp[a-z-]*((worker|core)[.]js|[.]wasm)", path)]
        check(f"versions: the addresses have them ({file})", files and all(path.endswith("?" + version) for path in files), files)
    site = Site()
    add_old(site, "/pure-webp-core.js", f'"{version}"', '"0.0.9"')
    open_page(engine, site)
    found = engine.evaluate("navigator.serviceWorker.register('/pure-webp-sw.js?force').then(() => 'installed', () => 'refused')")
    check("versions: a service worker with an old core is not installed", found == "refused", found)


HARMLESS = [
    versions, overload, overload_service_worker, shared_pixels, animated_pixels, worker_pixels, order, snippets,
    unknown_support,
]
