"""Proves that a feed takes at most 1.3 times the memory that it takes without the polyfill: 300 images of 800 × 600 in a
virtual list of 20, scrolled to the end three times. In one feed, each image is a new element. In the other, elements are
used again. Expected values: the memory of all processes of a new browser that decodes WebP itself.

No other instance of the browser may run meanwhile, except for the one of the other tests: memory that several processes
share is counted in parts.
"""
import io
import statistics

from PIL import Image

from engines import Chromium
from features import run
from website import IMAGES, Site

COUNT, SHOWN = 300, 20
LIST = """
const items = [];
const list = document.createElement("div");
list.style.cssText = "width: 800px; height: 1500px; overflow: hidden";
document.body.appendChild(list);
let next = 0;
window.step = () => {
  const image = %s;
  image.style.display = "block";
  image.src = "/feed/" + next++ %% COUNT + ".webp";
  list.appendChild(image);
  items.push(image);
  if (items.length > SHOWN) items.shift().remove();
  list.scrollTop = list.scrollHeight;
};
window.isShown = () => items.slice(-3).every(image => image.complete && image.naturalWidth);
""".replace("COUNT", str(COUNT)).replace("SHOWN", str(SHOWN))
CREATED = LIST % "new Image(800, 600)"
REUSED = LIST % "items.length < SHOWN ? new Image(800, 600) : items.shift()".replace("SHOWN", str(SHOWN))
POLYFILL = "import('/pure-webp.js').then(module => module.polyfill({ force: true })).then(() => 0)"


def images():
    photo = Image.open(IMAGES / "photo-q98.webp").convert("RGB").resize((800, 600))
    for number in range(COUNT):
        data = io.BytesIO()
        shifted = Image.new("RGB", photo.size)
        shifted.paste(photo, (-2 * number, 0))
        shifted.paste(photo, (800 - 2 * number, 0))
        shifted.save(data, "WEBP", quality=80, method=0)
        yield f"/feed/{number}.webp", ("image/webp", data.getvalue())


def plateau(feed, script, files):
    """Returns the median memory in the last of three passes, in bytes, and the processor time of all, in seconds."""
    site = Site(hides=False)
    site.files.update(files)
    engine = Chromium()
    try:
        engine.goto(site.origin + "/pages/empty.html")
        engine.evaluate(script)
        run(engine, feed)
        before = engine.processor_time()
        for _ in range(3):
            samples = []
            for number in range(COUNT):
                engine.evaluate("(step(), 0)")
                engine.wait_for("isShown()")
                if number % 30 == 29:
                    samples.append(engine.memory())
        return statistics.median(samples), engine.processor_time() - before
    finally:
        engine.close()


def feeds(engine, check, name):
    files = dict(images())
    for feed, script in [("new elements", CREATED), ("elements used again", REUSED)]:
        (native, time), (ours, our_time) = (plateau(script, start, files) for start in ["0", POLYFILL])
        check(f"feed, {feed}: {native / 1e6:.0f} MB and {time:.1f} s, {ours / 1e6:.0f} MB and {our_time:.1f} s with the "
              "polyfill, at most 1.3 times the memory", ours < 1.3 * native)
