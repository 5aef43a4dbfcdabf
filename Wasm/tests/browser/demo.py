"""Proves that the demo page decodes images that its server delivers.
Expected values: Chromium's rendering, and texts of the page."""
import subprocess
import sys

from server import WASM, status
from support import check


def demo(browser, origin):
    """The demo page works. Its server listens to this machine only, and serves only its folders."""
    process = subprocess.Popen(
        [sys.executable, WASM / "demo/serve", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(process.stdout.readline().split(":")[2].split("/")[0])
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(f"http://localhost:{port}/demo/")
        page.wait_for_function("document.querySelectorAll('#times tr').length === 4 && !again.disabled")
        found = page.evaluate("[rows.textContent, again.disabled, support.textContent.length > 0]")
        check("demo: the image is decoded completely", found == ["240 of 240 rows", False, True], found)
        found = page.evaluate("Array.from(times.rows).map(row => row.cells[4].textContent)")
        is_right = all(float(text.split()[0]) > 0 and "Infinity" not in text for text in found)
        check("demo: times are numbers", is_right, found)
        check("demo: no errors", not errors, errors)
        page.close()
        for name, at in [("demo", port), ("tests", int(origin.split(":")[2]))]:
            for path in ["/small/../../README.md", "/small/../../../../../../../../etc/passwd", "/..", "/../README.md"]:
                found = status(at, path)
                check(f"{name}: {path} is not found", found == 404, found)
            found = status(at, "/small/none.webp"), status(at, "/trickle/none.webp")
            check(f"{name}: missing files are not found", found == (404, 404), found)
            found = status(at, "/small/photo-q75.webp")
            check(f"{name}: an image is found", found == 200, found)
        try:
            found = status(port, "/demo/", "127.0.0.2")
        except OSError:
            found = None
        check("demo: the server does not listen at other addresses", found is None, found)
    finally:
        process.kill()
        process.wait()
