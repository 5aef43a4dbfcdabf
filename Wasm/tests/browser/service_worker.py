"""Proves that the service worker converts images, with and without a script in the page.
Expected values: Chromium's rendering of the WebP, and the types of the responses."""
from server import FOLDERS, asked, gate
from support import ALL_LOADED, PICTURES, SHOW, check, compare, download, empty_page, shot


def with_service_worker(browser, origin, script="/pure-webp-sw.js?force"):
    context = browser.new_context(viewport={"width": 700, "height": 1100})
    page = empty_page(context, origin)
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
    check("service worker: all images are PNG", pictures and set(pictures.values()) == {"image/png"}, pictures)
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
    # More than the six connections that a browser opens to a host.
    page.evaluate("html => { document.body.innerHTML = html }",
                  "".join(f"<img src=/slow/photo-q98.webp?{number}>" for number in range(8)))
    page.wait_for_function(f"{PICTURES}.some(image => image.naturalWidth)")
    check("service worker: the decoder is loaded before images that occupy all connections", True)
    gate.set()
    page.wait_for_function(ALL_LOADED)
    context.close()
    gate.clear()


def service_worker_alone(browser, origin, other):
    """Requests that the service worker does not answer."""
    context, page = with_service_worker(browser, origin, "/pure-webp-sw.js")
    answers = []
    page.on("response", lambda r: answers.append((r.headers.get("content-type"), r.from_service_worker)))
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_LOADED)
    check("service worker: it is not used in a browser that supports WebP", answers == [("image/webp", False)], answers)
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
    check("service worker: XMLHttpRequest gets the file itself, too", found == "image/webp", found)
    types = {}
    page.on("response", lambda r: types.update({r.url.split("/")[-1]: r.headers.get("content-type")}))
    page.evaluate(SHOW, other + "/cdn/photo-q75.webp")
    page.wait_for_function(ALL_LOADED)
    check("service worker: another origin that permits requests with Origin", types["photo-q75.webp"] == "image/png", types)
    page.evaluate("document.body.textContent = ''")
    context.add_cookies([{"name": "a", "value": "b", "url": other}])
    asked.clear()
    for name in ["/known", "/known.webp"]:  # the service worker examines the second one
        page.evaluate(SHOW, other + name)
        page.wait_for_function(ALL_LOADED)
    found = page.evaluate(PICTURES + ".map(i => i.naturalWidth)")
    check("service worker: a PNG of another origin is requested with cookies", found == [20, 20], found)
    again = [path for path in asked if path.startswith("/known")]
    check("service worker: only an address that ends in .webp is requested twice",
          again == ["/known", "/known.webp", "/known.webp"], again)
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
