"""Proves that the polyfill, the bridge script and the service worker show a page with one cell for each technique.
Expected values: the rendering of the same browser that decodes WebP itself."""
import time

from PIL import ImageChops

from website import Site

# Cells that are not shown, by mode or engine and mode. README.md has the reasons.
MISSING = {
    "service worker": "object object-untyped embed embed-untyped",
    # An object element that has failed is not drawn again.
    "chromium polyfill": "object object-untyped",
    "chromium bridge": "object object-untyped",
    # Frames with srcdoc have no service worker.
    "chromium-69 service worker": "srcdoc",
}

# Browsers multiply a WebP's colors by alpha with another rounding than a PNG's.
TRANSLUCENT = ["layers", "list-style", "mask", "content"]


class Cells:
    """A screenshot, cell by cell."""

    def __init__(self, engine):
        boxes = engine.evaluate("""Array.from(document.querySelectorAll('.cell'), element => {
            const { left, top, right, bottom } = element.getBoundingClientRect();
            return [element.id, [left, top, right, bottom].map(Math.round)];
          })""")
        screen = engine.screenshot()
        self.images = {name: screen.crop(box) for name, box in boxes}

    def is_empty(self, name):
        """Returns whether the cell has only one color."""
        return len(self.images[name].getcolors(1 << 16)) == 1

    def differing(self, other):
        """Maps each cell that differs to the largest difference of a sample."""
        most = {}
        for name, image in self.images.items():
            difference = max(high for _, high in ImageChops.difference(image, other.images[name]).getextrema())
            if difference:
                most[name] = difference
        return most


def settled(engine, found):
    """Returns the cells as soon as `found` accepts them, or after 15 seconds."""
    end = time.monotonic() + 15
    while True:
        cells = Cells(engine)
        if found(cells) or time.monotonic() > end:
            return cells
        time.sleep(0.2)


def show(engine, site):
    engine.goto(site.origin + "/pages/cells.html")
    time.sleep(0.5)
    engine.evaluate("addRules()")


def compare(engine, check, name):
    native = Site(hides=False)
    engine.goto(native.origin + "/pages/empty.html")  # Chromium 69 gives the first page no size while it loads
    show(engine, native)
    time.sleep(1)
    expected = Cells(engine)
    expected.images.pop("favicon"), expected.images.pop("cursor")
    missing = {name for name in expected.images if expected.is_empty(name)}
    if missing:
        print("        not shown by the browser itself:", *sorted(missing))
    hidden = Site()
    show(engine, hidden)
    time.sleep(1)
    same = set(expected.images) - missing - set(expected.differing(Cells(engine)))
    for cell in same & {"object", "object-untyped", "embed", "embed-untyped"}:
        # Chromium 69 requests them as scripts do.
        print("        not hidden from the browser:", cell)
        same.remove(cell)
        expected.images.pop(cell)
    check("without the scripts, no cell shows its image", not same, same)
    for mode in ["polyfill", "bridge", "service worker"]:
        site = Site(mode)
        reasons = " ".join(MISSING.get(key, "") for key in [mode, f"{name} {mode}"]).split()
        if mode == "service worker":
            if not register(engine, site):
                check("service worker: controls the page", False, engine.evaluate("window.refusal || null"))
                continue
        show(engine, site)
        wrong = lambda cells: {
            name: most for name, most in expected.differing(cells).items()
            if most > (1 if name in TRANSLUCENT else 0) and name not in reasons}
        differing = wrong(settled(engine, lambda cells: not wrong(cells)))
        check(f"{mode}: {len(expected.images) - len(missing.union(reasons, differing))} cells equal the browser's", not differing,
              differing)
        if mode != "service worker":
            for probe in {"cursor", "favicon"} - set(reasons):
                address = engine.evaluate(f"probes.{probe}()")
                kind = engine.evaluate(
                    f"fetch('{address}').then(answer => answer.blob()).then(blob => blob.type, String)")
                check(f"{mode}: {probe} is a PNG", kind == "image/png", (address, kind))


def register(engine, site, script="/worker.js?force"):
    """Returns whether the service worker controls pages. It is polled, because Chromium 69 may discard a pending
    promise."""
    engine.goto(site.origin + "/pages/empty.html")
    engine.evaluate(f"""(window.container = navigator.serviceWorker,
        container && container.register("{script}").catch(error => {{ window.refusal = String(error) }}), 0)""")
    try:
        engine.wait_for("!container || !!container.controller || !!window.refusal", 15)
    except TimeoutError:
        return False
    return engine.evaluate("!!container && !!container.controller")
