"""Proves that images are shown which scripts create or change without a mutation that the browser reports, and those whose
address depends on the document. Expected values: sizes of files, and the addresses that the browser requests with WebP."""
import threading

from features import POLYFILL, SHOWN, holds, open_page
from website import HIDDEN, WASM, Site

PHOTO = "/images/photo-q75.webp"
XLINK = "http://www.w3.org/1999/xlink"


def svg_addresses(engine, check, name):
    """The address of an SVG's image is set later."""
    open_page(engine, Site())
    engine.evaluate(f"{POLYFILL % ''}.then(() => 0)")
    for what, before, change in [
            ("href", "", f"setAttribute('href', '{PHOTO}')"),
            ("xlink:href with a prefix", "", f"setAttributeNS('{XLINK}', 'xlink:href', '{PHOTO}')"),
            ("xlink:href without a prefix", "", f"setAttributeNS('{XLINK}', 'href', '{PHOTO}')"),
            ("baseVal", "", f"href.baseVal = '{PHOTO}'"),
            ("baseVal after xlink:href", "xlink:href='/fallback.png'", f"href.baseVal = '{PHOTO}'"),
            ("feImage", "xlink:href='/fallback.png'", f"href.baseVal = '{PHOTO}'")]:
        if name == "chromium" and before:
            continue  # its attribute has the previous address; it shows WebP
        element = "feImage" if what == "feImage" else "image"
        engine.evaluate(f"(document.body.innerHTML = `<svg><{element} {before}></{element}></svg>`, 0)")
        engine.evaluate("new Promise(done => setTimeout(done, 50)).then(() => 0)")
        engine.evaluate(f"(document.querySelector('{element}').{change}, 0)")
        shown = holds(engine, f"document.querySelector('{element}').href.baseVal.startsWith('blob:')", 3)
        check(f"SVG: {what} is set later", shown)


# Images outside of the document, by the way in which they are created. `path` is their address.
CREATED = {
    "new Image": "new Image()",
    "createElement": "document.createElement('img')",
    "createElementNS": "document.createElementNS('http://www.w3.org/1999/xhtml', 'img')",
    "cloneNode": "document.createElement('img').cloneNode()",
    "cloneNode with an address": "Object.assign(new Image(), { src: path }).cloneNode()",
    "importNode": "document.importNode(new DOMParser().parseFromString('<img>', 'text/html').images[0])",
    "innerHTML": "Object.assign(document.createElement('div'), { innerHTML: `<p><img src=${path}></p>` }).querySelector('img')",
    "template": "document.importNode(Object.assign(document.createElement('template'), { innerHTML: `<img src=${path}>` }).content, true).firstChild",
    "fragment": "document.createRange().createContextualFragment(`<img src=${path}>`).firstChild",
    "new Image of a frame": "new (document.body.appendChild(document.createElement('iframe')).contentWindow.Image)()",
    "new Image of an old frame": "new frames[0].Image()",
    "createElement in a frame": "document.querySelector('iframe').contentDocument.createElement('img')",
}


def created_images(engine, check, name):
    """Images whose events do not reach the document, as image loaders use them."""
    site = Site()
    open_page(engine, site, "<iframe></iframe>")
    engine.evaluate(f"{POLYFILL % ''}.then(() => 0)")
    load = """new Promise(done => {
        const path = "%s";
        const image = IMAGE;
        const heard = [];
        const hear = ({ type }) => {
          heard.push(type);
          setTimeout(() => done([...heard, image.naturalWidth]), 300);
        };
        LISTEN
        if (!image.src) image.src = path;
        setTimeout(() => done(heard), 5000);
      })"""
    for how, image in CREATED.items():
        for listen in ["image.onload = image.onerror = hear;",
                       "['load', 'error'].forEach(type => image.addEventListener(type, hear));"]:
            found = engine.evaluate(load.replace("IMAGE", image).replace("LISTEN", listen) % f"{PHOTO}?{how.replace(' ', '')}")
            check(f"images outside of the document: {how}, {listen[:14]}", found == ["load", 320], found)
    load = load.replace("IMAGE", CREATED["createElement"]).replace("LISTEN", "image.onload = image.onerror = hear;")
    for path, expected in [(PHOTO, ["load", 320]), ("/images/none.webp", ["error", 0]), ("/fallback.png", ["load", 4])]:
        found = engine.evaluate(load % path)
        check(f"createElement: {path} has one event", found == expected, found)
    found = engine.evaluate("import('/pure-webp.js').then(m => m.isSupported())")
    own = engine.evaluate(load % "/pure-webp-sample.webp")
    check("createElement: the sample remains the browser's", own == ["error", 0], own)


SET_BODY = """(window.events = [], document.body.innerHTML = `%s`, document.images.length)"""
IMAGE = """<img onload="events.push('load')" onerror="events.push('error')" src="%s">"""


def bridged_events(engine, check, name):
    """Images of other formats, and those that do not exist, are not changed."""
    for mode in ["polyfill", "bridge"]:
        for kind, source, expected in [
            ("a WebP", "/images/photo-q75.webp?once", ["load"]), ("no extension", "/unnamed/photo-q75", ["load"]),
            ("a PNG", "/fallback.png", ["load"]), ("nothing", "/images/none.png", ["error"]),
            ("a missing WebP", "/images/none.webp", ["error"]),
        ]:
            site = Site(mode)
            site.files["/page.html"] = ("text/html", b"<!doctype html><script src=/start.js></script><body>")
            engine.goto(site.origin + "/page.html")
            holds(engine, "window.polyfilled || window.PureWebPBridge")
            engine.evaluate(SET_BODY % IMAGE % source)
            holds(engine, "events.length")
            found = engine.evaluate("new Promise(done => setTimeout(done, 700)).then(() => events)")
            shown = engine.evaluate("document.images[0].naturalWidth")
            check(f"{mode}: {kind}: one event", found == expected and (shown > 0) == (expected == ["load"]), (found, shown))


def keyframes(engine, check, name):
    """Images in keyframes of scripts. They remain when the sheets are scanned, and the cache has no room."""
    open_page(engine, Site(), "<p>.</p><div></div>")
    if not engine.evaluate("!!(window.KeyframeEffect && KeyframeEffect.prototype.setKeyframes)"):
        return  # before Safari 13.1 and Firefox 63, and in Chromium 69
    engine.evaluate(f"{POLYFILL % 'cacheBytes: 0'}.then(() => 0)")
    for what, frames in [("an object", f"{{ backgroundImage: ['url({PHOTO})', 'url({PHOTO})'], opacity: [1, 1] }}"),
                         ("a list", f"[{{ background: 'red url({PHOTO})' }}, {{ background: 'red url({PHOTO})' }}]")]:
        engine.evaluate(f"(window.animation = document.querySelector('p').animate({frames}, 1e6), 0)")
        image = "getComputedStyle(document.querySelector('p')).backgroundImage"
        shown = holds(engine, f"{image}.includes('blob:')", 5)
        engine.evaluate("(document.querySelector('div').className = 'scan', document.body.append(new Image()), 0)")
        engine.evaluate("new Promise(done => setTimeout(done, 1500)).then(() => 0)")
        address = engine.evaluate(f"{image}.slice(5, -2)")
        kind = engine.evaluate(f"fetch('{address}').then(r => r.blob()).then(blob => blob.type, String)")
        check(f"animate: {what} of keyframes", shown and kind == "image/png", (address, kind))
        engine.evaluate("(animation.cancel(), 0)")


def changed_base(engine, check, name):
    """The address of the document, or its `base`, changes while images are requested."""
    for what, change in [("history.pushState", "history.pushState(null, '', '/other/page.html')"),
                         ("base", "document.querySelector('base').href = '/other/'")]:
        site = Site()
        paths = [f"{PHOTO}?{kind}" for kind in ["src", "srcset"]]
        site.gates.update({path: threading.Event() for path in paths})
        site.files["/images/page.html"] = ("text/html", b"<!doctype html><base href='/images/'><body>")
        if "history" in change:
            site.files["/images/page.html"] = ("text/html", b"<!doctype html><body>")
        site.files["/open"] = ("text/plain", b"")
        engine.goto(site.origin + "/images/page.html")
        engine.evaluate(f"{(POLYFILL % '')}.then(() => 0)")
        engine.evaluate("""(window.images = ["src", "srcset"].map(name => {
            const image = new Image();
            image[name] = "photo-q75.webp?" + name;
            return image;
          }), 0)""")
        holds(engine, "images.every(image => image.currentSrc)")
        engine.evaluate(f"({change}, 0)")
        for path in paths:
            site.gates[path].set()
        shown = holds(engine, "images.every(image => image.naturalWidth === 320)", 5)
        check(f"changed base: {what}", shown, engine.evaluate("images.map(image => [image.currentSrc, image.src])"))


def encodings(engine, check, name):
    """Queries in the encoding of a page that is not UTF-8. Style sheets use UTF-8, but Chromium's do not."""
    elements = f"""<style>#style {{ background: url({PHOTO}?\xe4style) }}</style>
        <img src="{PHOTO}?\xe4src"><img srcset="{PHOTO}?\xe4set"><picture><source srcset="{PHOTO}?\xe4source"><img></picture>
        <input type=image src="{PHOTO}?\xe4input"><video poster="{PHOTO}?\xe4poster"></video>
        <table background="{PHOTO}?\xe4table"><tr><td>.</table><p id=style>.</p>
        <p style="background: url({PHOTO}?\xe4inline)">.</p>"""
    requested = []
    for hides in [False, True]:
        site = Site(hides=hides)
        start = HIDDEN + (WASM / "dist/pure-webp-head.js").read_text() if hides else ""
        site.files["/start.js"] = ("text/javascript", start.encode())
        page = "<!doctype html><meta charset=windows-1252><script src=/start.js></script><body>" + elements
        site.files["/page.html"] = ("text/html", page.encode("windows-1252"))
        engine.goto(site.origin + "/page.html")
        if hides:
            engine.evaluate(f"{(POLYFILL % '')}.then(() => 0)")
            check("encodings: images are shown", holds(engine, SHOWN, 5))
        engine.evaluate("new Promise(done => setTimeout(done, 1000)).then(() => 0)")
        requested.append({path for path, is_own, _ in site.received if PHOTO in path and is_own != hides})
    found = [{path for path in paths if not (name.startswith("chromium") and path.endswith("style"))} for paths in requested]
    check("encodings: the addresses are the browser's", len(requested[0]) == 8 and found[0] == found[1],
          [found[0] - found[1], found[1] - found[0]])


SCRIPTS = [svg_addresses, created_images, bridged_events, keyframes, changed_base, encodings]
