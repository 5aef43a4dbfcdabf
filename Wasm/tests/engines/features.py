"""Proves properties of the scripts that the page of cells does not show, in every browser that supports them.
Expected values: the behavior of the same browser with WebP, and values that are written here."""
import collections
import io
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from PIL import Image

from engines import SIZE
from website import HIDDEN, IMAGES, SNIPPETS, VECTORS, WASM, Site

POLYFILL = "import('/pure-webp.js').then(m => m.polyfill({force: true, fade: 0, interval: 0, %s}))"
SHOWN = "Array.from(document.images).every(i => i.complete && i.naturalWidth && i.currentSrc.startsWith('blob:'))"


def open_page(engine, site, body=""):
    """Shows a page. If the site's mode is the polyfill, waits until it runs."""
    engine.goto(site.origin + "/pages/empty.html")
    if site.mode == "polyfill":
        engine.wait_for("!!(window.polyfilled || window.failed)")
    engine.evaluate(f"(document.body.innerHTML = `{body}`, 0)")


def run(engine, code):
    """Runs statements."""
    engine.evaluate(f"(() => {{ {code} }})()")


def start(engine, options=""):
    engine.evaluate(f"{POLYFILL % options}.then(result => (window.result = result, 0))")


def add(engine, *elements):
    engine.evaluate(f"(document.body.insertAdjacentHTML('beforeend', `{''.join(elements)}`), 0)")


def check_console(engine, check, what, count=1):
    """Checks the number of messages on the console, which not every protocol reports."""
    if hasattr(engine, "console"):
        lines = [line for line in engine.console() if "pure-webp" in line]
        check(f"{what}: messages on the console: {count}", len(lines) == count, lines)


def box(engine, number=0):
    """Returns the box of an image in screenshots."""
    return engine.evaluate(f"""(({{ left, top, right, bottom }}) => [left, top, right, bottom].map(Math.trunc))(
        document.images[{number}].getBoundingClientRect())""")


def holds(engine, expression, seconds=10):
    try:
        engine.wait_for(expression, seconds)
        return True
    except TimeoutError:
        return False


def lazy(engine, check, name):
    """Chromium 69 knows no lazy loading: it requests all images immediately, and reports that they fail."""
    site = Site()
    images = "".join(f'<img loading="lazy" height="200" style="display: block" src="/images/photo-q75.webp?{n}">'
                     for n in range(60))
    open_page(engine, site, images)
    engine.evaluate(f"({POLYFILL % ''}, 0)")
    converted = "Array.from(document.images).map(i => i.currentSrc.startsWith('blob:'))"
    engine.wait_for(f"{converted}.slice(0, 8).every(Boolean)")
    time.sleep(2)
    found = engine.evaluate(converted)
    check("lazy images: only those near the viewport are converted", not any(found[20:]), found)
    engine.evaluate("(scrollTo(0, 1e6), 0)")
    check("lazy images: others when they are near", holds(engine, f"{converted}.slice(52).every(Boolean)"))
    found = engine.evaluate(converted)
    check("lazy images: the others are not converted", not any(found[25:40]), found)


def imports(engine, check, name):
    """An import never throws, and the module works wherever its files can be found."""
    site = Site()
    decode = f"""import {{ decode }} from "{site.origin}/pure-webp.js";
        fetch("{site.origin}/images/photo-q75.webp").then(r => r.arrayBuffer()).then(decode).then(i => send(i.width), send);"""
    open_page(engine, site)
    found = engine.evaluate(f"""new Promise(done => {{
        const frame = document.createElement("iframe");
        window.send = value => done(String(value));
        frame.srcdoc = `<script>onerror = parent.send<\\/script><script type="module">const send = parent.send; {decode}<\\/script>`;
        document.body.appendChild(frame);
        setTimeout(done, 5000, "nothing");
      }})""")
    check("import: in a frame with srcdoc", found == "320", found)
    if name == "chromium-69":
        return  # no module workers
    found = engine.evaluate(f"""new Promise(done => {{
        const script = new Blob([`const send = value => postMessage(String(value)); {decode}`], {{ type: "text/javascript" }});
        const worker = new Worker(URL.createObjectURL(script), {{ type: "module" }});
        worker.onmessage = event => done(event.data);
        worker.onerror = event => done(event.message);
        setTimeout(done, 5000, "nothing");
      }})""")
    check("import: in a module worker from a blob", found == "320", found)


def bundles(engine, check, name):
    """A bundle that is a module finds the files next to it. A bundle that is a script gets their addresses."""
    if not shutil.which("esbuild"):
        print("skipped  bundles: Debian's esbuild is not installed")
        return
    site = Site()
    module = 'import * as all from "./pure-webp.js"; window.PureWebP = all;'
    with tempfile.TemporaryDirectory() as folder:
        for format in ["esm", "iife"]:
            file = pathlib.Path(folder, format + ".js")
            subprocess.run(
                ["esbuild", "--bundle", "--format=" + format, "--outfile=" + str(file), "--log-level=error"],
                input=module, text=True, cwd=WASM / "dist", check=True)
            site.files[f"/{format}.js"] = ("text/javascript", file.read_bytes())
    site.files["/classic.js"] = ("text/javascript", (WASM / "dist/pure-webp-classic.js").read_bytes())
    for what, kind, configuration in [
            ("esm", "module", "{}"), ("iife", "", "{ wasm: '/pure-webp.wasm', worker: '/pure-webp-worker.js' }"),
            ("classic", "", "{}")]:
        open_page(engine, site)
        found = engine.evaluate(f"""new Promise(done => {{
            const script = document.createElement("script");
            script.type = "{kind}";
            script.src = "/{what}.js";
            addEventListener("error", event => event.message && done([event.message]));
            window.workers = 0;
            const {{ Worker }} = window;
            window.Worker = function (url) {{ workers += 1; return new Worker(url) }};
            script.onload = () => {{
              PureWebP.configure({configuration});
              PureWebP.polyfill({{ force: true, fade: 0, interval: 0 }}).then(r => done([r.status]), e => done([String(e)]));
            }};
            document.body.appendChild(script);
          }})""")
        add(engine, "<img src=/images/photo-q75.webp>")
        shown = found == ["active"] and holds(engine, f"document.images.length && {SHOWN} && workers === 1")
        check(f"bundle, {what}: shows an image, in a worker", shown, found)


def fallbacks(engine, check, name):
    """With pure-webp-head.js, inline handlers receive only the errors of images that cannot be shown."""
    site = Site()
    site.files["/start.js"] = ("text/javascript", HIDDEN.encode() + (WASM / "dist/pure-webp-head.js").read_bytes())
    site.files["/images/corrupt.webp"] = ("image/webp", b"RIFF\x10\0\0\0WEBPVP8 \4\0\0\0none")
    site.files["/loader.js"] = ("text/javascript", next(script for script in SNIPPETS if "Image" in script).encode())
    image = """<img onerror="window.heard = (window.heard || []).concat(this.id)" id="{0}" src="/images/{0}">"""
    body = "".join(map(image.format, ["photo-q75.webp", "corrupt.webp", "none.png"]))
    for what, then, expected in [
            ("with the polyfill", POLYFILL % "", ["none.png", "corrupt.webp"]),
            ("with the snippet of README.md", "import('/loader.js')", ["none.png", "corrupt.webp"]),
            ("without one", "PureWebPHead.release()", ["none.png", "photo-q75.webp", "corrupt.webp"])]:
        open_page(engine, site, body)
        time.sleep(1)
        before = engine.evaluate("window.heard")
        engine.evaluate(f"({then}, 0)")
        holds(engine, f"(window.heard || []).length === {len(expected)}", 3)
        time.sleep(0.5)
        found, shown = engine.evaluate("[window.heard, document.images[0].currentSrc.startsWith('blob:')]")
        check(f"fallbacks: {what}, handlers hear the errors of images that cannot be shown",
              before == ["none.png"] and sorted(found) == sorted(expected), (before, found))
        check(f"fallbacks: {what}, a WebP is converted: {shown}", shown == ("photo-q75.webp" not in expected))


def failures(engine, check, name):
    """If nothing can be shown, the page learns the reason."""
    result = """m => m.polyfill({force: true, onError: e => window.errors.push(e.message)}).then(
        r => [r.status, r.error && r.error.message, window.errors.length])"""
    open_page(engine, Site(), "<img src=/images/photo-q75.webp>")
    found = engine.evaluate(f"""(window.errors = [], window.wasm = WebAssembly, delete window.WebAssembly,
        import('/pure-webp.js').then({result}))""")
    check("failures: no WebAssembly", found == ["failed", "the browser has no WebAssembly", 1], found)
    site = Site()
    site.headers["Content-Security-Policy"] = "script-src 'self'; img-src 'self' blob:"
    open_page(engine, site, "<img src=/images/photo-q75.webp>")
    found = engine.evaluate(f"(window.errors = [], import('/pure-webp.js').then({result}))")
    reason = "the page's policy needs script-src 'wasm-unsafe-eval'"
    check("failures: the page's policy", found[0] == "failed" and found[1].startswith(reason) and found[2] == 1, found)
    check_console(engine, check, "failures")
    site = Site()
    site.files["/pure-webp-simd.wasm"] = site.files["/pure-webp.wasm"] = ("text/plain", b"gone")
    open_page(engine, site, "<img src=/images/photo-q75.webp><img src=/images/photo-q98.webp>")
    engine.evaluate("(window.errors = [], 0)")
    engine.evaluate(f"({POLYFILL % 'onError: (error, url) => errors.push([error.kind, url])'}, 0)")
    holds(engine, "errors.length === 2")
    found = sorted(engine.evaluate("errors"))
    check("failures: a missing decoder", found == [
        ["moduleUnavailable", f"{site.origin}/images/{file}.webp"] for file in ["photo-q75", "photo-q98"]], found)
    check_console(engine, check, "failures of several images")


def other_origin(engine, check, name):
    """If the scripts are on a CDN, the worker is used, too."""
    site, cdn = Site(), Site()
    cdn.headers["Access-Control-Allow-Origin"] = "*"
    open_page(engine, site, "<img src=/images/photo-q75.webp>")
    engine.evaluate(f"""import("{cdn.origin}/pure-webp.js").then(m => {{
        window.conversions = 0;
        const {{ convert }} = PureWebPCore;
        PureWebPCore.convert = (...values) => {{ conversions += 1; return convert(...values) }};
        return m.polyfill({{ force: true }});
      }}).then(() => 0)""")
    shown = holds(engine, SHOWN)
    found = engine.evaluate("conversions")
    check("another origin: images are converted in a worker", shown and found == 0, (shown, found))


def reselection(engine, check, name):
    """A frame is enlarged, so `sizes` selects a WebP in place of a PNG. Chromium reports no event when the WebP fails."""
    site = Site()
    site.files["/reselection.html"] = ("text/html", b"""<!doctype html>
        <script>
          window.events = [];
          for (const type of ["load", "error"]) {
            addEventListener(type, event => event.target.localName === "img" && events.push(type), true);
          }
        </script>
        <img srcset="/fallback.png 4w, /images/photo-q75.webp 320w" sizes="(max-width: 400px) 4px, 320px">""")
    open_page(engine, site, '<iframe src="/reselection.html" width="300"></iframe>')
    engine.evaluate("(window.inside = code => frames[0].eval(code), 0)")
    engine.wait_for("inside('document.images.length && document.images[0].naturalWidth') === 4")
    engine.evaluate(f"inside(`{POLYFILL % ''}.then(() => events.length = 0)`)")
    engine.evaluate("(document.querySelector('iframe').width = 600, 0)")
    shown = holds(engine, f"inside(`{SHOWN} && document.images[0].naturalWidth === 320`)")
    events = engine.evaluate("inside('events')")
    check("reselection: the WebP is shown", shown)
    if name.startswith("chromium"):
        check("reselection: the browser reports no event of its failure", "error" not in events, events)


def style_changes(engine, check, name):
    """Changes of styles without images are not examined any further."""
    open_page(engine, Site(), "<p style='background: #eee'></p>" * 500)
    start(engine)
    found = engine.evaluate("""new Promise(done => {
        const { getPropertyValue } = CSSStyleDeclaration.prototype;
        let reads = 0;
        CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
          reads += 1;
          return getPropertyValue.call(this, name);
        };
        document.querySelectorAll("p").forEach((element, index) => { element.style.left = index + "px" });
        setTimeout(() => done(reads), 500);
      })""")
    check("style changes: properties are not read", found == 0, found)


COUNTED = """
window.workers = 0;
const OwnWorker = Worker;
window.Worker = function (url) { workers += 1; return new OwnWorker(url) };
const { terminate } = OwnWorker.prototype;
OwnWorker.prototype.terminate = function () { workers -= 1; terminate.call(this) };
"""
# Members of prototypes that the polyfill replaces.
MEMBERS = """Element.prototype.attachShadow, Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src").set,
    HTMLImageElement.prototype.hasOwnProperty("onload"),
    Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow").get"""


def repeated(engine, check, name):
    """A single-page app calls the polyfill again and again."""
    site = Site()
    head = (WASM / "dist/pure-webp-head.js").read_bytes()
    site.files["/start.js"] = ("text/javascript", f"var own = [{MEMBERS}]; {COUNTED} {HIDDEN}".encode() + head)
    open_page(engine, site, "<img src=/images/photo-q75.webp>")
    found = engine.evaluate("""import("/pure-webp.js").then(async module => {
        window.start = () => module.polyfill({ force: true, fade: 0 });
        window.results = await Promise.all(Array.from({ length: 20 }, start));
        results.push(await start());
        return new Set(results).size;
      })""")
    check("repeated calls: one result", found == 1, found)
    shown = holds(engine, SHOWN)
    asked = [path for path in site.asked if "photo" in path or ".wasm" in path]  # one image by the browser, too
    check("repeated calls: one worker, and each file once", shown and len(asked) == 3 and engine.evaluate("workers") == 1,
          asked)
    own = f"[{MEMBERS}].filter((member, index) => member === own[index]).length"
    during = engine.evaluate(own)
    engine.evaluate("(results.forEach(result => result.stop()), 0)")
    check("repeated calls: after stop(), the members are the browser's", during == 0 and engine.evaluate(own) == 4)
    engine.evaluate("start().then(() => (document.body.innerHTML = '<img src=/images/photo-q98.webp>', 0))")
    check("repeated calls: after stop(), it starts again", holds(engine, f"document.images.length === 1 && {SHOWN}"))


def invalid_files(engine, check, name):
    """Corrupt and cut files. Expected values: the events and sizes in the same browser with WebP, and libwebp's rows. On a
    busy machine, Firefox sometimes reports a size of 0, or an error, so there are three attempts."""
    photo, lossless = [(IMAGES / f"photo-{kind}.webp").read_bytes() for kind in ["q75", "lossless"]]
    animation = (VECTORS / "encoder-pillow-animation.webp").read_bytes()
    files = {
        "/cut/lossy.webp": photo[: len(photo) // 2],
        "/cut/lossless.webp": lossless[: len(lossless) // 2],
        "/cut/corrupt.webp": lossless[: len(lossless) // 2] + b"\xff" * (len(lossless) - len(lossless) // 2),
        "/cut/animation.webp": animation[: len(animation) - 50],
        "/cut/none.webp": photo[:40],
    }
    script = """window.events = [];
      window.showAll = () => %s.forEach(path => {
        const image = new Image();
        image.onload = image.onerror = ({ type }) => events.push([path, type, image.naturalWidth]);
        image.src = path;
        document.body.appendChild(image);
      });""" % json.dumps(list(files))
    heard = []
    for mode in ["", "", "", "polyfill"]:
        site = Site(mode, hides=bool(mode))
        site.files.update({path: ("image/webp", data) for path, data in files.items()})
        site.files["/start.js"] = ("text/javascript", (site.script() + script).encode())
        open_page(engine, site)
        engine.evaluate("(showAll(), 0)")
        holds(engine, f"events.length === {len(files)}", 5)
        time.sleep(0.5)
        heard.append(sorted(engine.evaluate("events")))
    check("invalid files: events and sizes equal the browser's", heard[-1] in heard[:-1], heard)
    rows = engine.evaluate("""(() => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 60 }).getContext("2d");
        return Array.from(document.images).slice(0, 2).map(image => {
          canvas.drawImage(image, 0, 0);
          return Array.from(canvas.getImageData(0, 0, 320, 60).data);
        });
      })()""")
    same = [bytes(found) == Image.open(io.BytesIO(data)).convert("RGBA").crop((0, 0, 320, 60)).tobytes()
            for found, data in zip(rows, [photo, lossless])]
    check("invalid files: the first rows are shown", same == [True, True], same)


def repeated_events(engine, check, name):
    """Many cut files. Their rows are shown shortly before the complete image. In Firefox, the event of the rows may follow
    after the complete image has been set."""
    site = Site("polyfill")
    data = (IMAGES / "photo-q75.webp").read_bytes()
    site.files["/cut.webp"] = ("image/webp", data[: len(data) // 2])
    open_page(engine, site)
    engine.evaluate("""(window.events = Array.from({ length: 100 }, (_, number) => {
        const heard = [];
        const image = new Image();
        image.onload = image.onerror = ({ type }) => heard.push(type);
        image.src = "/cut.webp?" + number;
        document.body.appendChild(image);
        return heard;
      }), 0)""")
    holds(engine, SHOWN, 30)
    time.sleep(0.5)
    found = [heard for heard in engine.evaluate("events") if heard != ["load"]]
    check("repeated events: each image has one", not found, found)


def late_errors(engine, check, name):
    """The error of the browser's own attempt follows after the image has been replaced, as sometimes in Firefox."""
    open_page(engine, Site(), "<img>")
    # The polyfill does not hear the error when it is dispatched.
    engine.evaluate("""(window.image = document.images[0], addEventListener(
        "error", event => event.stopImmediatePropagation(), { capture: true, once: true }), 0)""")
    start(engine)
    engine.evaluate("""(window.events = [], image.onload = image.onerror = event => events.push(event.type),
        image.src = "/images/photo-q75.webp", 0)""")
    shown = holds(engine, "events.length === 1")
    found = engine.evaluate("(image.dispatchEvent(new Event('error')), image.src = '/images/none.webp', events)")
    check("late errors: the page does not receive them", shown and found == ["load"], found)
    check("late errors: it receives the next one", holds(engine, "String(events) === 'load,error'"), engine.evaluate("events"))


def stale_worker(engine, check, name):
    """A worker's script from a cache, of another version, never answers."""
    site = Site()
    site.files["/pure-webp-worker.js"] = ("text/javascript", b"onmessage = () => {}")
    open_page(engine, site, "<img src=/images/photo-q75.webp><img src=/images/photo-q98.webp>")
    engine.evaluate("""(window.errors = [], window.wait = setTimeout,
        window.setTimeout = (call, time, ...values) => wait(call, time / 30, ...values), 0)""")
    engine.evaluate(f"{POLYFILL % 'onError: (error, url) => errors.push(url || error.kind)'}.then(r => (window.result = r, 0))")
    failed = holds(engine, "result.status === 'failed' && result.error.kind === 'moduleUnavailable' && errors.length === 3")
    check("stale worker: the status becomes `failed`", failed, engine.evaluate("[result.status, errors]"))
    check_console(engine, check, "stale worker")


def classic_worker(engine, check, name):
    """In a worker that imports the classic script, the decoder is found beside the worker's script."""
    site = Site()
    site.files["/decode.js"] = ("text/javascript", b"""importScripts("/pure-webp-classic.js");
        fetch("/images/photo-q75.webp").then(response => response.arrayBuffer()).then(PureWebP.decode).then(
          image => postMessage(image.width), error => postMessage(error.message));""")
    open_page(engine, site)
    answer = """new Promise(done => {
        const worker = new Worker(%s);
        worker.onmessage = event => done(event.data);
        worker.onerror = event => done(event.message);
      })"""
    found = engine.evaluate(answer % '"/decode.js"')
    check("classic script: decodes in a worker", found == 320, found)
    script = site.files["/decode.js"][1].decode().replace('"/', f'"{site.origin}/')
    found = engine.evaluate(answer % f"URL.createObjectURL(new Blob([{json.dumps(script)}]))")
    check("classic script: in a worker from a blob, the error names configure()", "configure({ wasm })" in str(found), found)


# Addresses as custom properties contain them. Expected values: the addresses that the browser resolves.
ESCAPES = r"""
url(/images/photo-q75.webp?name)
url( /images/photo-q75.webp?spaces )
URL(/images/photo-q75.webp?capitals)
url(\/images\/photo-q75\.webp\?characters)
url(/images/photo-q75.we\62 p?digits)
url(/images/photo-q75.we\62	p?tab)
url(/images/photo-q75.we\62
p?newline)
url(/images/photo-q75.we\000062p?six-digits)
url(/images/photo-q75.we\000062 p?six-digits-and-a-space)
url(/images/photo-q75.webp?\1F600\E9\e9 )
url(/images/photo-q75.webp?invalid\0 \D800 \110000 z)
url(/images/photo-q75.webp?\(parentheses\)\"\'\20)
url("/images/photo-q75.webp?string")
url('/images/photo-q75.webp?string2')
url( "/images/photo-q75.webp?string-and-spaces" )
url("\/images\/photo-q75\.webp\?string-characters")
url("/images/photo-q75.we\62 p?string-digits")
url("/images/photo-q75.we\000062p?string-six-digits")
url("/images/photo-q75.webp?(string-parentheses)'\"\22 ")
url('/images/photo-q75.webp?(string2-parentheses)"\'\27 ')
url("/images/photo\
-q75.webp?string-\
newline")
/* url(/images/none.webp?comment) */ url(/images/photo-q75.webp?comment)
image-set("/images/photo-q75.we\62p?set" 1x)
image-set(url(/images/photo-q75.we\62p?set-name) 1x)
"""


def escapes(engine, check, name):
    """Escapes in addresses. Some browsers serialize unquoted addresses in custom properties with escapes."""
    values = re.split(r"\n(?=url|/[*]|image-set)", ESCAPES.strip(), flags=re.I)
    rules = [f"--image: {value}; background: var(--image)" for value in values]
    rules.append("background: url(/images/photo-q75.webp?text); --text: 'url(/images/none.webp?text)'")
    rules.append("background: url(/images/photo-q75.webp?other); --other: other-url(/images/none.webp?other)")
    site = Site()
    site.files["/rules.css"] = ("text/css", "".join(f"#p{n} {{ {rule} }}\n" for n, rule in enumerate(rules)).encode())
    open_page(engine, site, "<link rel=stylesheet href=/rules.css>")
    engine.wait_for("!!document.querySelector('link').sheet")
    engine.evaluate(f"""({json.dumps(rules)}.forEach((rule, number) => {{
        document.body.insertAdjacentHTML("beforeend", "<p id=p" + number + "></p><p></p>");
        document.body.lastChild.style.cssText = rule;
      }}), 0)""")
    images = """Array.from(document.querySelectorAll("p"), element =>
        (/url\\("(.*?)"\\)/.exec(getComputedStyle(element).backgroundImage) || [])[1])"""
    expected = engine.evaluate(images)
    engine.evaluate("""(window.fetched = [], window.ask = fetch, window.fetch = (url, options) => {
        fetched.push(new URL(url, location).href);
        return ask(url, options);
      }, 0)""")
    start(engine)
    holds(engine, f"{images}.every((url, index) => !url || url.startsWith('blob:'))", 5)
    missing = [(rules[number // 2], address, url) for number, (address, url) in enumerate(
        zip(expected, engine.evaluate(images))) if address and not url.startswith("blob:")]
    check(f"escapes: {sum(map(bool, expected))} images of styles are converted", not missing, missing)
    others = set(engine.evaluate("fetched")) ^ set(filter(None, expected))
    others = {address for address in others if "wasm" not in address and "?set" not in address}  # image-set() is recent
    check("escapes: the addresses are the browser's", not others, others)


def precedence(engine, check, name):
    """The page changes one attribute of an image that has several. Expected values: the sizes and events of the same
    browser with WebP."""
    photo, icon, screen = "/images/photo-q75.webp", "/images/icon-lossy.webp", "/images/screenshot.webp"
    source = "image.previousElementSibling"
    cases = [
        (f'<img srcset="{icon}?1" src="/fallback.png">', f"image.src = '{photo}?1'"),
        (f'<img srcset="{icon}?2 2x">', f"image.src = '{photo}?2'"),
        (f'<img src="{photo}?3">', f"image.srcset = '{icon}?3'"),
        (f'<img src="{photo}?4" srcset="{icon}?4">', "image.removeAttribute('srcset')"),
        (f'<img srcset="{photo}?5 320w, {screen}?5 640w" sizes="320px" src="{icon}?5">', f"image.src = '{icon}?changed5'"),
        (f'<img srcset="{photo}?6 320w, {screen}?6 640w" sizes="320px">', "image.sizes = '640px'"),
        (f'<picture><source srcset="{icon}?7"><img src="/fallback.png"></picture>', "image.removeAttribute('src')"),
        (f'<picture><source srcset="{icon}?8 2x"><img></picture>', f"image.src = '{photo}?8'"),
        (f'<picture><source srcset="{icon}?9"><img src="{photo}?9"></picture>', f"image.srcset = '{screen}?9'"),
        (f'<picture><source srcset="{icon}?10"><img src="{photo}?10"></picture>', f"{source}.removeAttribute('srcset')"),
        (f'<picture><source srcset="{icon}?11"><img src="{photo}?11"></picture>', f"{source}.srcset = '/fallback.png'"),
        (f'<picture><source srcset="{icon}?12"><img src="{photo}?12"></picture>',
         f"{source}.srcset = '{photo}?12'; image.src = '{screen}?12'"),
        (f'<picture><source srcset="{icon}?13" media=print><img src="{photo}?13"></picture>', f"{source}.media = ''"),
        (f'<picture><source srcset="{icon}?14"><img src="{photo}?14"></picture>', f"{source}.remove()"),
    ]
    put = "Object.assign(document.createElement('source'), { srcset: '%s' })"
    wrap = "const picture = document.createElement('picture'); image.parentNode.before(picture); picture.append(image);"
    cases += [
        (f'<picture><source srcset="{photo}?{kind}{number}"><img src="/fallback.png"></picture>',
         change % f"{path}?{kind}{number}{density}")
        for number, (path, density) in enumerate([(icon, ""), (icon, " 2x"), ("/fallback.png", "")])
        for kind, change in [
            ("replaced", f"{source}.remove(); image.before({put})"), ("added", f"image.parentNode.prepend({put})"),
            ("wrapped", f"{wrap} image.before({put})"), ("changed", f"{source}.srcset = '%s'")]
    ]
    shown = []
    for mode in ["", "polyfill"]:
        site = Site(mode, hides=bool(mode))
        open_page(engine, site)
        engine.evaluate("(document.body.innerHTML = `%s`, 0)" % "".join(image for image, _ in cases))
        holds(engine, SHOWN if mode else "Array.from(document.images).every(i => i.complete && i.naturalWidth)")
        engine.evaluate("""(window.events = Array.from(document.images, image => {
            const heard = [];
            image.onload = image.onerror = event => heard.push(event.type);
            return heard;
          }), 0)""")
        for number, (_, change) in enumerate(cases):
            engine.evaluate(f"(image => {{ {change} }})(document.images[{number}])")
        time.sleep(2)
        shown.append(engine.evaluate("Array.from(document.images, (image, n) => [image.width, image.height, events[n]])"))
        engine.resize(900, 1500)  # selects the sources again
        time.sleep(1)
        shown[-1] += engine.evaluate("Array.from(document.images, image => [image.width, image.height])")
        engine.resize(*SIZE)
    often = [path for path, count in collections.Counter(site.asked).items() if count > 4]
    check("precedence: files are requested only a few times", not often, often)
    differing = [(change, *both) for (_, change), *both in zip(2 * cases, *shown) if both[0] != both[1]]
    check("precedence: the browser's candidates are shown", not differing, differing)


def slow_objects(engine, check, name):
    """The browser's own request of an object fails after the object has its PNG, and before the next layout."""
    if name in ("chromium", "firefox"):
        return  # they send the polyfill's request when their own request of the same address has ended
    site = Site("polyfill")
    path = "/images/photo-q75.webp?object"
    site.gates[path] = threading.Event()
    site.files["/open"] = ("text/plain", b"")
    open_page(engine, site)
    engine.evaluate(f"""(document.body.innerHTML = '<object data="{path}" type="image/webp"></object>',
        new MutationObserver((_, observer) => {{
          observer.disconnect();
          const request = new XMLHttpRequest();
          request.open("GET", "/open?{path}", false);
          request.send();
          for (const end = Date.now() + 300; Date.now() < end;);
        }}).observe(document.querySelector("object"), {{ attributes: true, attributeFilter: ["data"] }}), 0)""")
    expected = Image.open(IMAGES / "photo-q75.webp").convert("RGB").tobytes()
    shown = lambda: engine.screenshot().crop((0, 0, 320, 240)).tobytes() == expected
    end = time.monotonic() + 10
    while not shown() and time.monotonic() < end:
        time.sleep(0.2)
    check("slow objects: the PNG is shown", site.gates[path].is_set() and shown(), site.asked)


FEATURES = [
    lazy, imports, bundles, fallbacks, failures, other_origin, reselection, style_changes, escapes, repeated,
    invalid_files, repeated_events, late_errors, stale_worker, classic_worker, precedence, slow_objects,
]
