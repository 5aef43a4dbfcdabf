"""Proves what README.md says of the service worker without a network, and of the clipboard.
Expected values: sizes of files, and what is written here."""

from cells import register
from features import holds, open_page
from website import Site

PHOTO = "/images/photo-q75.webp"


def offline(engine, check, name):
    """An update of the service worker fails. The old version converts images that the browser has stored, also after it has
    been ended and begun again, if the browser has stored the decoder, too."""
    site = Site("service worker")
    site.is_cached = True
    if not register(engine, site):
        return check("offline: the service worker controls the page", False)
    engine.evaluate(f"(document.body.innerHTML = '<img src={PHOTO}>', 0)")
    check("offline: an image is shown before", holds(engine, "document.images[0].naturalWidth === 320"))
    stored = [f"/images/{file}.webp" for file in ["photo-q98", "photo-lossless"]]
    engine.evaluate(f"""Promise.all({stored}.map(path => fetch(path, {{ headers: {{ "X-Own-Request": "1" }} }}).then(
        response => response.arrayBuffer()))).then(() => 0)""")
    site.is_offline = True
    found = engine.evaluate("""navigator.serviceWorker.getRegistration().then(registration => registration.update().then(
        () => "updated", () => "failed").then(result => [result, registration.active.state, !!registration.waiting]))""")
    check("offline: an update fails, and the old version remains", found == ["failed", "activated", False], found)
    for path in stored if name != "webkit" else []:  # the session of a WebDriver stores nothing
        engine.evaluate(f"(document.body.innerHTML = '<img src={path}>', 0)")
        shown = holds(engine, "document.images[0].naturalWidth === 320", 5)
        check(f"offline: {path} is converted", shown)
        if name == "chromium" and path == stored[0]:
            engine.socket.call("ServiceWorker.enable")
            engine.socket.call("ServiceWorker.stopAllWorkers")
            engine.socket.call("ServiceWorker.disable")
    site.is_offline = False


def clipboard(engine, check, name):
    """A selection with an image, copied."""
    site = Site("polyfill")
    open_page(engine, site)
    engine.evaluate(f"(document.body.innerHTML = '<img src={PHOTO}>', 0)")
    holds(engine, "document.images[0].naturalWidth")
    engine.socket.call(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"], origin=site.origin)
    engine.socket.call("Emulation.setFocusEmulationEnabled", enabled=True)
    engine.socket.call("Runtime.evaluate", userGesture=True, expression="""getSelection().selectAllChildren(document.body),
        document.execCommand("copy")""")
    found = engine.evaluate("""navigator.clipboard.read().then(([item]) => item.getType("text/html")).then(
        blob => blob.text())""")
    check("clipboard: the copy has an object URL", 'src="blob:' in found, found)


SURROUNDINGS = [offline]
