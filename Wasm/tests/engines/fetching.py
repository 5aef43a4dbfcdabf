"""Proves that the polyfill requests files as the browser does.
Expected values: the browser's own requests for the same elements, and what it shows of a response with status 404."""
import collections
import time

from PIL import ImageChops

from engines import until
from features import holds, open_page
from website import HIDDEN, IMAGES, WASM, Site

# The elements that show an image, by kind. `@` is for an attribute, and `#` for the address.
KINDS = {
    "img": '<img @ src="#">',
    "srcset": '<img @ srcset="#">',
    "picture": '<picture><source srcset="#"><img @></picture>',
    "input": '<input type=image @ src="#">',
    "poster": '<video @ poster="#"></video>',
    "image": '<svg><image @ width=20 height=20 href="#"/></svg>',
    "embed": '<embed @ src="#">',
    "iframe": '<iframe @ src="#"></iframe>',
    "background": '<table @ background="#"><tr><td>.</table>',
    "style": '<p @ style="background: url(#)">.</p>',
}
# The kinds for which HTML or SVG define `crossorigin`.
WITH_CREDENTIALS = ["img", "srcset", "picture", "poster", "image"]
ATTRIBUTES = [
    "", "crossorigin", "crossorigin=use-credentials", "referrerpolicy=no-referrer", "referrerpolicy=origin",
    "referrerpolicy=unsafe-url", "referrerpolicy=no-referrer crossorigin=use-credentials",
]


def requests(engine, mode, hides):
    """Maps each kind, attribute and origin to the referrer and whether there were cookies."""
    site, other = Site(mode, hides=hides), Site(hides=hides)
    other.headers.update({"Access-Control-Allow-Origin": site.origin, "Access-Control-Allow-Credentials": "true"})
    engine.goto(site.origin + "/pages/empty.html?page")
    if mode:
        engine.wait_for("!!(window.polyfilled || window.failed)")
    body, keys = "", {}
    for kind, element in KINDS.items():
        for attribute in ATTRIBUTES:
            for origin in [site, other]:
                path = f"/images/icon-lossy.webp?{len(keys)}"
                keys[path] = kind, attribute, "same origin" if origin is site else "other origin"
                body += element.replace("@", attribute).replace("#", origin.origin + path)
    engine.evaluate(f"(document.cookie = 'a=b; path=/', document.body.innerHTML = `{body}`, 0)")
    found = {}

    def received():
        for path, is_own, headers in [*site.received, *other.received]:
            if path in keys and is_own != hides:
                found[keys[path]] = (headers["Referer"] or "none").replace(site.origin, ""), bool(headers["Cookie"])
        return len(found)

    last = -1
    until(received)  # the first
    while last < received():  # until no more arrive
        last = len(found)
        time.sleep(2)
    return found


def attributes(engine, check, name):
    """A table of kinds of elements, attributes and origins."""
    expected = requests(engine, "", False)
    found = requests(engine, "polyfill", True)
    differing = collections.defaultdict(list)
    for (kind, attribute, origin), (referrer, has_cookies) in expected.items():
        # Chromium also applies attributes that HTML does not define for an element. It shows WebP.
        if name == "chromium" and kind in ("input", "poster", "image", "embed") and attribute:
            continue
        if name == "chromium-69" and kind == "image" and "use-credentials" in attribute:
            continue  # it does not know the attribute of SVG's images
        # README.md: without `crossorigin=use-credentials`, files of other origins are requested without cookies.
        if origin == "other origin":
            has_cookies = kind in WITH_CREDENTIALS and "use-credentials" in attribute
        request = found.get((kind, attribute, origin))
        if request != (referrer, has_cookies):
            differing[kind].append((attribute, origin, (referrer, has_cookies), request))
    check(f"requests: {len(expected)} have the browser's referrer and cookies", len(expected) > 100 and not differing,
          dict(differing))


def priorities(engine, check, name):
    """Chromium reports the priority of each request. A request of a script has a high one, unless it is lower."""
    site = Site("polyfill")
    open_page(engine, site)
    engine.socket.call("Network.enable")
    images = "".join(f"<img fetchpriority={each} src=/images/photo-q75.webp?{each}>" for each in ["low", "high"])
    engine.evaluate(f"(document.body.innerHTML = '{images}', 0)")
    holds(engine, "Array.from(document.images).every(image => image.naturalWidth)")
    found = {(event["params"]["request"]["url"][-3:], event["params"]["request"]["initialPriority"])
             for event in engine.socket.events if event["method"] == "Network.requestWillBeSent"
             and event["params"]["type"] == "Fetch" and "/images/" in event["params"]["request"]["url"]}
    engine.socket.call("Network.disable")
    check("requests: they have the element's priority", found == {("low", "Low"), ("igh", "High")}, found)


def not_found(engine, check, name):
    """A response with status 404 whose body is a WebP. Firefox does not show it in an `embed` element."""
    kinds = {kind: element for kind, element in KINDS.items() if kind != "embed" or name != "firefox"}
    screens, events = [], []
    for mode in ["", "polyfill"]:
        site = Site(mode, hides=bool(mode))
        for kind in kinds:
            site.files[f"/{kind}.webp"] = "image/webp", (IMAGES / "icon-lossy.webp").read_bytes(), 404
        engine.goto(site.origin + "/pages/empty.html")
        if mode:
            engine.wait_for("!!(window.polyfilled || window.failed)")
        body = "".join(element.replace("#", f"/{kind}.webp").replace("@", "") for kind, element in kinds.items())
        engine.evaluate("""(window.events = [], document.body.innerHTML = `%s`, document.querySelectorAll("img").forEach(
            image => { image.onload = image.onerror = event => events.push(event.type) }), 0)""" % body)
        holds(engine, "events.length === 3", 5)
        time.sleep(2)
        events.append(engine.evaluate("events"))
        screens.append(engine.screenshot())
    # Browsers multiply a WebP's colors by alpha with another rounding than a PNG's.
    most = max(high for _, high in ImageChops.difference(*screens).getextrema())
    check("status 404: images are shown as by the browser", most < 2 and len(set(screens[0].getdata())) > 9, most)
    check("status 404: the events are the browser's", events[0] == events[1] and len(events[0]) == 3, events)


GLOBALS = ["fetch", "setTimeout", "clearTimeout", "matchMedia", "createImageBitmap", "Blob", "FileReader", "Worker",
           "MutationObserver", "IntersectionObserver"]


def replaced_globals(engine, check, name):
    """The page's code replaces globals: after the module has been loaded, or before, but after the head script."""
    replace = """(window.called = [], %s.filter(name => window[name]).forEach(name => {
        const own = window[name];
        window[name] = function (...values) {
          called.push(name);
          return new.target ? Reflect.construct(own, values) : own.apply(this, values);
        };
      }), 0)""" % GLOBALS
    start = "import('/pure-webp.js').then(m => m.polyfill({ force: true, interval: 0, shownPixels: 80000 })).then(() => 0)"
    for what, head, steps in [("after the module", "", ["import('/pure-webp.js').then(() => 0)", replace, start]),
                              ("after the head script", "/pure-webp-head.js", [replace, start])]:
        site = Site()
        script = HIDDEN + ((WASM / f"dist{head}").read_text() if head else "")
        site.files["/start.js"] = ("text/javascript", script.encode())
        open_page(engine, site)
        for step in steps:
            engine.evaluate(step)
        engine.evaluate("""(document.body.innerHTML = `<img src=/images/photo-q75.webp><img src=/images/photo-q98.webp>
            <img loading=lazy src=/unnamed/photo-q75><p style="background: url(/images/photo-lossless.webp)">.</p>`, 0)""")
        shown = holds(engine, """Array.from(document.images).every(image => image.currentSrc.startsWith("blob:"))
            && document.querySelector("p").style.background.includes("blob:")""")
        found = [each for each in engine.evaluate("called") if name != "webkit" or "Timeout" not in each]  # its driver calls these
        check(f"replaced globals, {what}: the page's are not called", shown and not found, (shown, found))


REQUESTS = [attributes, not_found, replaced_globals]
