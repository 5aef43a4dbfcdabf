"""Proves that the service worker converts images while they arrive, and answers no other requests. And that the demo
page works. Expected values: the types of the responses, and values that are written here."""
import http.client
import subprocess
import sys
import time

from cells import register
from features import add, box, holds, run
from website import IMAGES, VECTORS, WASM, WORKER, Site

PHOTO, OTHER = "/images/photo-q75.webp", "/images/photo-q98.webp"
LOADED = "Array.from(document.images).every(i => i.complete && i.naturalWidth)"


def incomplete_images(engine, check, name):
    """Images are shown while they arrive, also if they occupy all connections: a browser opens six to a host."""
    site = Site("service worker")
    gates = [site.stall(f"{OTHER}?{number}") for number in range(8)]
    register(engine, site)
    add(engine, *(f"<img src={OTHER}?{number}>" for number in range(8)))
    check("service worker: the decoder is loaded before images that occupy all connections",
          holds(engine, "document.images[0].naturalWidth === 320"))
    time.sleep(1)
    image = engine.screenshot().crop(box(engine))
    rows = next((y for y in range(240) if image.getpixel((160, y)) == (255, 255, 255)), 240)
    check(f"service worker: {rows} rows of half of the bytes", 40 < rows < 200)
    for gate in gates:
        gate.set()
    check("service worker: all images are completed", holds(engine, LOADED))


def other_requests(engine, check, name):
    """Requests that the service worker does not answer."""
    site = Site(hides=False)
    register(engine, site, "/pure-webp-sw.js")
    engine.socket.call("Network.enable")
    found = responses(engine, PHOTO)
    check("service worker: it is not used in a browser that supports WebP", found == {"image/webp"}, found)

    site, other = Site(hides=False), Site(hides=False)
    other.headers["Access-Control-Allow-Origin"] = "*"
    register(engine, site, "/pure-webp-sw.js?force")
    found = engine.evaluate(f"fetch('{PHOTO}').then(r => r.blob()).then(b => [b.size, b.type])")
    size = (IMAGES / "photo-q75.webp").stat().st_size
    check("service worker: scripts fetch the file itself", found == [size, "image/webp"], found)
    found = engine.evaluate(f"""new Promise(done => {{
        const request = new XMLHttpRequest();
        request.onload = () => done(request.getResponseHeader("Content-Type"));
        request.open("GET", "{PHOTO}");
        request.send();
      }})""")
    check("service worker: XMLHttpRequest gets the file itself, too", found == "image/webp", found)
    check("service worker: another origin that permits requests with Origin",
          responses(engine, other.origin + PHOTO) == {"image/png"})
    run(engine, "document.cookie = 'a=b; path=/'")
    other.files["/fallback.webp"] = other.files["/fallback.png"]
    other.received.clear()
    for path in ["/fallback.png", "/fallback.webp"]:  # the service worker examines the second one
        responses(engine, other.origin + path)
    found = sorted((path, "Cookie" in headers) for path, _, headers in other.received if path.startswith("/fallback"))
    expected = [("/fallback.png", True), ("/fallback.webp", False), ("/fallback.webp", True)]
    check("service worker: a PNG of another origin is requested with cookies, and twice if its address ends in .webp",
          found == expected, found)
    corrupt = (VECTORS / "vp8l-version-1.webp").read_bytes()
    other.files.update({"/corrupt.webp": ("image/webp", corrupt), "/gone.webp": ("image/webp", corrupt, 404)})
    other.endless = {"/corrupt.webp", "/gone.webp"}
    add(engine, *(f"<img src={other.origin}{path}>" for path in other.endless))
    time.sleep(5)
    check("service worker: no download of an invalid file continues", not other.complete, other.complete)

    site = Site("service worker")
    script = f"self.ReadableStream = undefined; delete Response.prototype.body; {WORKER}"
    site.files["/worker.js"] = ("text/javascript", script.encode())
    register(engine, site)
    add(engine, f"<img src={PHOTO}>", f"<img src={OTHER}>", "<img src=/fallback.png>")
    shown = holds(engine, f"document.images.length === 3 && {LOADED}")
    check("service worker: without streams, as in Firefox 60", shown)
    engine.socket.call("Network.disable")


def responses(engine, address):
    """Shows an image, and returns the types of the responses that the browser reports for it."""
    engine.socket.events.clear()
    run(engine, f"document.body.innerHTML = '<img src={address}>'")
    engine.wait_for(LOADED)
    return {event["params"]["response"]["mimeType"] for event in engine.socket.events
            if event["method"] == "Network.responseReceived" and event["params"]["response"]["url"].endswith(address)}


def status(port, path, host="127.0.0.1"):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("GET", path)
    return connection.getresponse().status


def demo(engine, check, name):
    """The demo page decodes an image. Its server listens to this machine only, and serves only its folders."""
    process = subprocess.Popen(
        [sys.executable, WASM / "demo/serve", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(process.stdout.readline().split(":")[2].split("/")[0])
        engine.goto(f"http://localhost:{port}/demo/")
        engine.wait_for("document.querySelectorAll('#times tr').length === 4 && !again.disabled")
        found = engine.evaluate("[rows.textContent, support.textContent.length > 0]")
        check("demo: the image is decoded completely", found == ["240 of 240 rows", True], found)
        found = engine.evaluate("Array.from(times.rows, row => row.cells[4].textContent)")
        is_right = all(float(text.split()[0]) > 0 and "Infinity" not in text for text in found)
        check("demo: times are numbers", is_right, found)
        errors = [event for event in engine.socket.events if event["method"] == "Runtime.exceptionThrown"]
        check("demo: no errors", not errors, errors)
        for path, expected in [
                ("/small/../../README.md", 404), ("/small/../../../../../../../../etc/passwd", 404), ("/..", 404),
                ("/../README.md", 404), ("/small/none.webp", 404), ("/trickle/none.webp", 404),
                ("/small/photo-q75.webp", 200)]:
            found = status(port, path)
            check(f"demo: {path} has status {expected}", found == expected, found)
        try:
            found = status(port, "/demo/", "127.0.0.2")
        except OSError:
            found = None
        check("demo: the server does not listen at other addresses", found is None, found)
    finally:
        process.kill()
        process.wait()


SERVICE_WORKER_IN_CHROMIUM = [incomplete_images, other_requests, demo]
