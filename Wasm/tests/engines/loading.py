"""Proves that the polyfill shows images while they arrive, and survives failing workers and strict policies.
Expected values: libwebp's rows, and values that are written here."""
import json
import time

from PIL import Image

from engines import SIZE
from features import COUNTED, POLYFILL, SHOWN, add, holds, open_page, run, start
from website import HIDDEN, IMAGES, VECTORS, WASM, Site

PHOTO, OTHER, ICON = "/images/photo-q75.webp", "/images/photo-q98.webp", "/images/icon-lossless.webp"
HEARD = """window.image = document.images[0];
    window.events = [];
    ["load", "error"].forEach(type => image.addEventListener(type, () => events.push(type)));"""
# As in Firefox: until the next image is loaded, `currentSrc` is the address of the previous one.
LATE = "Object.defineProperty(image, 'currentSrc', { value: image.currentSrc, configurable: true });"
UNTIL_LOADED = "document.addEventListener('load', ({ target }) => delete target.currentSrc, true);"


def put(srcset):
    return f"image.before(Object.assign(document.createElement('source'), {{ srcset: '{srcset}' }}))"


def pending(engine, check, name):
    """The page changes an image whose file is still arriving. Each new image has one event."""
    slow, unnamed = f"{OTHER}?slow", "/unnamed/photo-q98"
    changes = [
        ("image.src = '/fallback.png'", 4), (f"image.src = '{ICON}'", 64), ("image.removeAttribute('src')", 0),
        ("image.srcset = '/fallback.png 1x'", 4), (f"{LATE} image.src = '{ICON}'", 64),
        (f"{LATE} image.srcset = '/fallback.png 1x'", 4),
    ]
    # The page changes an image before its first rows are shown, or after.
    cases = [(f"<img src={path}>", has_rows, *change)
             for path, has_rows in [(slow, True), (slow, False), (unnamed, True)] for change in changes]
    cases += [
        (f"<img srcset={slow}>", True, f"image.src = '{ICON}'", 320),
        (f"<picture><img src={slow}></picture>", False, put(ICON), 64),
        (f"<picture><img src={slow}></picture>", False, put("/fallback.png"), 4),
        (f"<picture><source media=print srcset=/fallback.png><img src={slow}></picture>", False,
         "image.previousSibling.media = ''", 4),
    ]
    for html, has_rows, change, width in cases:
        site = Site(hides=LATE not in change)
        site.files["/start.js"] = ("text/javascript", UNTIL_LOADED.encode())
        gates = [site.stall(path) for path in (slow, unnamed)]
        open_page(engine, site)
        start(engine)
        run(engine, f"document.body.innerHTML = `{html}`; {HEARD}")
        if has_rows:
            engine.wait_for("image.naturalWidth")
        time.sleep(0.2)
        run(engine, change)
        time.sleep(0.2)
        for gate in gates:
            gate.set()
        time.sleep(0.7)
        found = engine.evaluate("[image.naturalWidth, events]")
        what = f"{html}{', which has rows' if has_rows else ''}: {change[-60:]}"
        check(f"pending: {what}", found == [width, ["load"] if width else []], found)


def changed_after_failure(engine, check, name):
    open_page(engine, Site())
    start(engine)
    add(engine, "<img onerror=\"this.src = '/unnamed/photo-q75'\" src=/images/none.png>")
    check("changed after a failure: the new image is checked", holds(engine, SHOWN, 5))


def progressive(engine, check, name):
    site = Site()
    gate = site.stall(OTHER)
    open_page(engine, site)
    start(engine)
    run(engine, f"document.body.innerHTML = '<img src={OTHER}>'; {HEARD}")
    engine.wait_for("image.currentSrc.startsWith('blob:') && image.naturalWidth")
    whole = Image.open(IMAGES / "photo-q98.webp").convert("RGB")

    def rows():
        """Returns the number of rows that equal libwebp's."""
        time.sleep(0.4)
        screen = engine.screenshot()
        boxes = [(0, y, 320, y + 1) for y in range(240)]
        return next((box[1] for box in boxes if screen.crop(box).tobytes() != whole.crop(box).tobytes()), 240)

    found = rows()
    check(f"progressive: half of the bytes, {found} rows", 60 < found < 200)
    check("progressive: no event yet", engine.evaluate("events") == [])
    gate.set()
    engine.wait_for("events.length")
    check("progressive: all rows", rows() == 240)
    check("progressive: one event", engine.evaluate("events") == ["load"])


def stopped(engine, check, name):
    """After stop(): shown images can be copied, unfinished ones are restored, and no others are converted."""
    site = Site()
    gate = site.stall(f"{OTHER}?slow")
    open_page(engine, site, f"<p style='background: url({PHOTO})'>sheet")
    start(engine)
    for path in [PHOTO, OTHER, f"{OTHER}?slow"]:
        add(engine, f"<img src={path}>")
    engine.wait_for(f"document.images.length === 3 && {SHOWN}")
    run(engine, "result.stop(); document.body.innerHTML += '<p>'")  # creates all elements again
    gate.set()
    time.sleep(1.5)
    found = engine.evaluate("Array.from(document.images, i => [i.currentSrc.split(':')[0], i.naturalWidth])")
    expected = [["blob", 320], ["blob", 320], ["http", 0]]
    check("stopped: images remain, except for the unfinished one", found == expected, found)
    found = engine.evaluate("""fetch(getComputedStyle(document.querySelector("p")).backgroundImage.slice(5, -2)).then(
        r => r.blob()).then(b => b.type, String)""")
    check("stopped: the style remains", found == "image/png", found)
    add(engine, f"<img src={PHOTO}>")
    time.sleep(1)
    found = engine.evaluate("document.images[3].currentSrc")
    check("stopped: no more images are converted", found == site.origin + PHOTO, found)


def faded(engine, check, name):
    """Images fade in to the opacity that the page defines. They appear immediately if the user prefers less motion."""
    open_page(engine, Site())
    start(engine, "fade: 1000")
    run(engine, """document.head.insertAdjacentHTML("beforeend", "<style>img { opacity: 0.5 }</style>");
        const { animate } = Element.prototype;
        Element.prototype.animate = function (...values) {
          window.animation = animate.apply(this, values);
          animation.pause();
          return animation;
        };""")
    add(engine, f"<img src={PHOTO}>")
    engine.wait_for("!!window.animation")
    opacity = "(animation.currentTime = %d, Number(getComputedStyle(document.images[0]).opacity))"
    found = [round(engine.evaluate(opacity % time), 2) for time in [0, 500, 999]]
    check("faded: to the opacity that the page defines", found == [0, 0.25, 0.5], found)
    run(engine, "window.animation = undefined")
    engine.emulate(features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    add(engine, f"<img src={OTHER}>")
    shown = holds(engine, f"document.images.length === 2 && {SHOWN}")
    time.sleep(0.3)
    check("faded: not if the user prefers less motion", shown and engine.evaluate("!window.animation"))
    engine.emulate()


def broken(engine, check, name):
    """Images that failed before the polyfill was loaded: the page has received their errors, and receives no others."""
    site = Site()
    site.files["/corrupt.webp"] = ("image/webp", (VECTORS / "vp8l-version-1.webp").read_bytes())
    paths = ["/images/none.webp", "/images/none.png", "/corrupt.webp", "/corrupt.webp?x"]
    open_page(engine, site)
    run(engine, f"""window.events = [];
        {paths}.forEach(path => {{
          const image = document.body.appendChild(new Image());
          image.onload = image.onerror = ({{ type }}) => events.push(type);
          image.src = path;
        }});""")
    engine.wait_for("events.length === 4")
    site.received.clear()
    start(engine)
    time.sleep(2)
    found = engine.evaluate("events")
    check("broken before: no second event", found == ["error"] * 4, found)
    again = [path for path, *_ in site.received if path in paths]
    check("broken before: each file is checked once", sorted(again) == sorted(paths), again)


def options(engine, check, name):
    open_page(engine, Site())
    run(engine, "delete window.globalThis")  # as in browsers before Safari 12.1 and Firefox 65
    undefined = ", ".join(f"{each}: undefined" for each in ["matches", "fade", "interval", "cacheBytes", "idle"])
    engine.evaluate(f"import('/pure-webp.js').then(m => m.polyfill({{ force: true, {undefined} }})).then(() => 0)")
    add(engine, f"<img src={PHOTO}>")
    check("options: undefined options have their defaults", holds(engine, SHOWN))


def worker(engine, check, name):
    """Images are decoded in the worker, which ends when it is idle. Downloads of invalid files do not continue."""
    site = Site()
    corrupt = (VECTORS / "vp8l-version-1.webp").read_bytes()
    site.files.update({"/start.js": ("text/javascript", COUNTED.encode()), "/corrupt.webp": ("image/webp", corrupt),
                       "/gone.webp": ("image/webp", corrupt, 404)})
    site.endless = {"/corrupt.webp", "/gone.webp"}
    open_page(engine, site)
    start(engine, "idle: 1000")
    for number, path in enumerate([PHOTO, OTHER], 1):
        add(engine, f"<img src={path}>")
        shown = holds(engine, f"document.images.length === {number} && {SHOWN}")
        check(f"worker: it starts ({number})", shown and engine.evaluate("workers") == 1)
        check(f"worker: it ends when it is idle ({number})", holds(engine, "workers === 0", 3))
    for path in site.endless:
        add(engine, f"<img src={path}>")
    time.sleep(5)
    check("worker: no download of an invalid file continues", not site.complete, site.complete)


def broken_worker(engine, check, name):
    late = """({ data: { id, wasm, value } }) => {
        if (value) throw new Error();
        postMessage(wasm ? { isStarted: true, version: 'VERSION' } : { id, ask: 'read' });
      }""".replace("VERSION", json.loads((WASM / "package.json").read_text())["version"])
    for what, script in [("fails", "() => { throw new Error() }"), ("fails half-way", late)]:
        site = Site()
        site.files["/start.js"] = ("text/javascript", COUNTED.encode())
        site.files["/pure-webp-worker.js"] = ("text/javascript", f"onmessage = {script}".encode())
        open_page(engine, site)
        start(engine)
        add(engine, f"<img src={PHOTO}>")
        shown = holds(engine, SHOWN)
        check(f"worker: a worker that {what} ends, and the page decodes", shown and engine.evaluate("workers") == 0)


def policies(engine, check, name):
    """The strictest policy in README.md, without workers; without object URLs of images; and with workers."""
    policy = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'self'; "
              "img-src 'self' blob:")
    site, other = Site(), Site()
    site.files["/start.js"] = ("text/javascript", (HIDDEN + COUNTED).encode())
    site.headers["Content-Security-Policy"] = policy
    open_page(engine, site)
    start(engine)
    add(engine, f"<img src={PHOTO}>")
    check("policy: without workers, the page decodes", holds(engine, SHOWN) and engine.evaluate("workers") == 0)

    site.headers["Content-Security-Policy"] = policy.replace("worker-src 'none'", "worker-src 'self'")
    other.headers["Access-Control-Allow-Origin"] = "*"
    open_page(engine, site)
    start(engine)
    add(engine, f"<img src={other.origin}{OTHER}>", f"<img src={PHOTO}>")
    run(engine, f"document.body.style.background = 'url({other.origin}{PHOTO})'")
    time.sleep(2)
    found = engine.evaluate("[Array.from(document.images, i => i.naturalWidth), workers]")
    check("policy: a worker receives only files that the page may fetch", found == [[0, 320], 1], found)
    check("policy: forbidden files are not requested", not other.asked, other.asked)

    site = Site(hides=False)
    site.headers["Content-Security-Policy"] = policy.replace(" blob:", "")
    open_page(engine, site)
    found = engine.evaluate(f"{POLYFILL % ''}.then(r => [r.status, r.error.message])")
    check("policy: if it forbids object URLs of images, nothing is converted", found == [
        "failed", "the page's policy needs img-src blob:"], found)
    run(engine, f"document.body.style.background = 'url({PHOTO})'")
    add(engine, f"<img src={PHOTO}>")
    time.sleep(1)
    found = engine.evaluate("[document.images[0].naturalWidth, document.body.style.background.slice(5, 12)]")
    check("policy: the browser shows the images itself", found == [320, "/images"], found)


def selection(engine, check, name):
    """Another size of the window, density of the screen, or color scheme. Expected values: the candidates that the
    browser selects with WebP."""
    if name not in ("chromium", "firefox"):
        return  # the others have no command for it
    screen = "/images/screenshot.webp"
    images = f"""<img srcset="{ICON}?x 1x, {PHOTO}?x 2x"><img srcset="{ICON}?s 64w, {screen}?s 640w" sizes="64px">
      <picture><source media="(min-width: 500px)" srcset="{ICON}"><img src="{PHOTO}"></picture>
      <picture><source media="(min-width: 500px)" srcset="/fallback.png"><img src="{PHOTO}?a"></picture>
      <img sizes="(min-width: 500px) 640px, 64px" srcset="{ICON}?b 64w, {screen} 640w">
      <picture><source media="(min-width: 500px)" srcset="{screen}?c 640w" sizes="640px">
        <img srcset="{PHOTO}?c 320w" sizes="100px"></picture>
      <picture><source media="(min-width: 500px)" srcset="{screen}?d 640w">
        <img srcset="{PHOTO}?d 320w" sizes="100px"></picture>
      <picture><source media="(prefers-color-scheme: dark)" srcset="{ICON}?e"><img src="{PHOTO}?e"></picture>"""
    states = [((400, 400), 1, "light"), ((600, 400), 1, "light"), ((400, 400), 1, "light"), ((400, 400), 2, "light"),
              ((450, 400), 1, "dark")]
    selected = []
    for mode in ["", "polyfill"]:
        site = Site(mode, hides=bool(mode))
        open_page(engine, site)
        engine.resize(*states[0][0])
        run(engine, f"document.body.innerHTML = `{images}`; document.images[1].sizes = '640px'")
        for size, density, scheme in states:
            engine.resize(*size, density)
            if name == "chromium":
                engine.emulate(features=[{"name": "prefers-color-scheme", "value": scheme}])
            time.sleep(1)
            holds(engine, "Array.from(document.images).every(i => i.complete && i.naturalWidth)")
            selected.append(engine.evaluate(
                "[devicePixelRatio, innerWidth, Array.from(document.images, i => [i.naturalWidth, i.naturalHeight])]"))
    engine.resize(*SIZE)
    if name == "chromium":
        engine.emulate()
    for state, expected, found in zip(states, selected, selected[len(states):]):
        check(f"selection, {state}: the candidates are the browser's", expected == found, (expected, found))


LOADING = [selection]
LOADING_IN_CHROMIUM = [
    pending, changed_after_failure, progressive, stopped, faded, broken, options, worker, broken_worker, policies,
]
