"""Proves that the polyfill shows the rows of images while they arrive, and survives a worker that fails.
Expected values: Chromium's rendering of the WebP, and the events of the page."""
import json

from PIL import Image

from server import FOLDERS, WASM, asked, gate
from support import ALL_CONVERTED, PICTURES, SHOW, START, check, differs, download, empty_page, polyfilled_page, shot


def broken(browser, origin):
    """Images that failed before the polyfill was loaded: the page has received their errors, and receives no others."""
    page = empty_page(browser, origin)
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
    check("broken before: each file is checked once", len(again) == 4 and len(set(again)) == 4, again)
    page.close()


def progressive(browser, origin):
    page = polyfilled_page(browser, origin, {"interval": 0}, viewport={"width": 320, "height": 240})
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
    check(f"half of the bytes: {rows} rows are shown", 60 < rows < 200, rows)
    box = (0, 0, 320, rows)
    check("half of the bytes: the rows equal libwebp's", not differs(half.crop(box), whole.crop(box)),
          differs(half.crop(box), whole.crop(box)))
    check("half of the bytes: no load event yet", page.evaluate("loads") == 0)
    gate.set()
    page.wait_for_function("loads === 1")
    page.wait_for_timeout(300)
    check("all bytes: the image is complete", not differs(shot(page), whole), differs(shot(page), whole))
    check("one load event", page.evaluate("loads") == 1)
    page.close()
    gate.clear()


def options(browser, origin):
    """Undefined options have their defaults."""
    page = empty_page(browser, origin)
    names = ["force", "matches", "fade", "interval", "cacheBytes", "idle"]
    page.evaluate("""names => {
        const options = {};
        for (const name of names) options[name] = undefined;
        return import('/pure-webp.js').then(m => m.polyfill(Object.assign(options, { force: true })));
      }""", names)
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(1500)
    check("options: undefined options have their defaults", page.evaluate(ALL_CONVERTED) and page.workers)
    page.close()


def worker(browser, origin):
    """Images are decoded in the worker, and its memory is released."""
    page = polyfilled_page(browser, origin, {"idle": 1000})
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("worker: it starts", len(page.workers) == 1, page.workers)
    page.wait_for_timeout(2500)
    check("worker: it ends when it is idle", not page.workers, page.workers)
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(f"{PICTURES}.length === 2 && {ALL_CONVERTED}")
    check("worker: it starts again", len(page.workers) == 1, page.workers)
    download(page, "worker", origin)
    page.close()


def broken_worker(browser, origin):
    late = """({ data: { id, wasm, value } }) => {
        if (value) throw new Error();
        postMessage(wasm ? { isStarted: true, version: 'VERSION' } : { id, ask: 'read' });
      }""".replace("VERSION", json.loads((WASM / "package.json").read_text())["version"])
    for what, script in [("fails", "() => { throw new Error() }"), ("fails half-way", late)]:
        page = browser.new_page()
        page.route("**/pure-webp-worker.js*", lambda route: route.fulfill(
            content_type="text/javascript", body="onmessage = " + script))
        page.goto(origin + "/pages/empty.html")
        page.evaluate(START, {})
        page.evaluate(SHOW, "/small/photo-q75.webp")
        page.wait_for_function(ALL_CONVERTED)
        check(f"worker: a worker that {what} ends, and the page decodes", not page.workers, page.workers)
    page.close()


def policy(browser, origin, other):
    """The strictest policy in README.md: no workers."""
    page = browser.new_page()
    page.goto(origin + "/strict/empty.html")
    found = page.evaluate("import('/pure-webp.js').then(m => m.polyfill()).then(result => result.status)")
    check("policy: if the browser shows WebP, nothing is converted", found == "unneeded", found)
    page.evaluate(START, {})
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(2000)  # the policy also forbids wait_for_function
    check("policy: without workers, the page decodes", page.evaluate(ALL_CONVERTED) and not page.workers)
    page.goto(origin + "/strict/empty.html?own")
    found = page.evaluate("import('/pure-webp.js').then(m => m.polyfill({ force: true })).then(r => [r.status, r.error.message])")
    check("policy: if it forbids object URLs of images, nothing is converted", found == [
        "failed", "the page's policy needs img-src blob:"], found)
    page.evaluate("document.body.style.background = 'url(/small/photo-q75.webp)'")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("[document.images[0].naturalWidth, document.body.style.background.slice(5, 11)]")
    check("policy: the browser shows the images itself", found == [320, "/small"], found)
    page.goto(origin + "/strict/empty.html?worker")
    page.evaluate(START, {})
    asked.clear()
    page.evaluate(SHOW, other + "/shared/photo-q98.webp?secret")
    page.evaluate("url => { document.body.style.background = `url(${url})` }", other + "/shared/photo-q75.webp?secret")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(2000)
    found = page.evaluate(PICTURES + ".map(i => i.naturalWidth)")
    check("policy: a worker receives only files that the page may fetch", found == [0, 320] and page.workers, found)
    secrets = [path for path in asked if "secret" in path]
    check("policy: forbidden files are not requested", not secrets, secrets)
    page.close()


def old_browser(browser, origin):
    """Browsers without `globalThis`: before Safari 12.1 and Firefox 65."""
    page = empty_page(browser, origin)
    page.evaluate("""async start => {
        const it = globalThis;
        delete window.globalThis;
        await import('/pure-webp.js').then(m => m.polyfill({ force: true })).finally(() => { window.globalThis = it });
      }""")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("old browser: without globalThis", True)
    page.close()
