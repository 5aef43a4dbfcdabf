"""Proves that the page script shows images of the app like those of the WebAssembly module, in every browser.
Expected values: the events that browsers dispatch for images that they support."""
from features import holds, open_page
from website import Site

EVENTS = """(window.events = [], document.body.innerHTML = `%s`, document.images.length)"""
IMAGE = """<img onload="events.push('load')" onerror="events.push('error')" src="%s">"""


def events(engine, check, name):
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
            engine.evaluate(EVENTS % IMAGE % source)
            holds(engine, "events.length")
            found = engine.evaluate("new Promise(done => setTimeout(done, 700)).then(() => events)")
            shown = engine.evaluate("document.images[0].naturalWidth")
            check(f"{mode}: {kind}: one event", found == expected and (shown > 0) == (expected == ["load"]), (found, shown))


FEATURES = [events]
