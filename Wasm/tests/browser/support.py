"""Shared by the tests: checks, screenshots and scripts."""
import io

from PIL import Image, ImageChops

from server import went_on

failures = []


def check(what, holds, detail=""):
    print("ok      " if holds else "FAILED  ", what, "" if holds else detail)
    if not holds:
        failures.append(what)


def shot(page, **options):
    return Image.open(io.BytesIO(page.screenshot(**options))).convert("RGB")


def differs(a, b, tolerance=0):
    if a.size != b.size:
        return f"{a.size} and {b.size}"
    difference = ImageChops.difference(a, b)
    most = max(high for _, high in difference.getextrema())
    return f"they differ by {most} in {difference.getbbox()}" if most > tolerance else ""


def compare(what, page, wanted):
    """Compares a page with a screenshot. Opaque images are equal. Translucent ones may differ by 1, because Chromium
    multiplies the colors of a WebP by alpha with libwebp's rounding, and the colors of a PNG with its own."""
    found = shot(page)
    check(what + ": equal to the browser's rendering", not differs(found, wanted, 1), differs(found, wanted, 1))
    for name in ["plain", "dense", "wide", "added", "inline"]:
        box = page.locator("#" + name).bounding_box()
        box = [round(v) for v in (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])]
        difference = differs(found.crop(box), wanted.crop(box))
        check(f"{what}: {name} is equal in every byte", not difference, difference)


def wait_for(page, expression, arg=None):
    """Waits for an expression that is a promise. `wait_for_function` treats a promise as true."""
    for _ in range(600):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(expression)


PICTURES = "Array.from(document.images)"
ALL_LOADED = f"{PICTURES}.every(i => i.complete && i.naturalWidth)"
ALL_CONVERTED = f"{PICTURES}.every(i => i.complete && i.naturalWidth && i.currentSrc.startsWith('blob:'))"
START = "options => import('/pure-webp.js').then(m => m.polyfill(Object.assign({force: true, fade: 0}, options)))"
SHOW = """source => {
    const image = new Image();
    image.src = source;
    document.body.appendChild(image);
  }"""


def empty_page(browser, origin, **options):
    page = browser.new_page(**options)
    page.goto(origin + "/pages/empty.html")
    return page


def polyfilled_page(browser, origin, start={}, **options):
    """An empty page. `start` has the options of the polyfill."""
    page = empty_page(browser, origin, **options)
    page.evaluate(START, start)
    return page


def download(page, what, origin):
    for kind, query in [("a damaged file", ""), ("what is not there", "?gone")]:
        page.evaluate(SHOW, origin + "/endless/vp8l-version-1.webp" + query)
        page.wait_for_timeout(5000)
        check(f"{what}: no download of {kind} continues", not went_on, went_on)
        went_on.clear()
