"""Memory and processor time of two feeds, natively and with the polyfill: 300 images of 800 × 600 in a virtual list of 20,
scrolled to the end three times. In one, each image is a new element. In the other, elements are used again. All processes
of the browser are added up. No other instance of the browser may run: memory that several processes share is counted in
parts.

    python3 Wasm/tests/engines/feed.py [ENGINE] [POLYFILL OPTIONS]
"""
import io
import statistics
import sys

from PIL import Image

from engines import ENGINES
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


def images(count=COUNT):
    photo = Image.open(IMAGES / "photo-q98.webp").convert("RGB").resize((800, 600))
    for number in range(count):
        data = io.BytesIO()
        shifted = Image.new("RGB", photo.size)
        shifted.paste(photo, (-2 * number, 0))
        shifted.paste(photo, (800 - 2 * number, 0))
        shifted.save(data, "WEBP", quality=80, method=0)
        yield f"/feed/{number}.webp", ("image/webp", data.getvalue())


def plateau(engine_name, feed, options, files):
    """The median memory of each pass, in bytes, and the processor time of all, in seconds."""
    site = Site(hides=False)
    site.files.update(files)
    engine = ENGINES[engine_name]()
    try:
        engine.goto(site.origin + "/pages/empty.html")
        if options is not None:
            engine.evaluate(f"import('/pure-webp.js').then(m => m.polyfill(Object.assign({{force: true}}, {options}))).then(() => 0)")
        engine.evaluate(f"(() => {{ {feed} }})()")
        before = engine.processor_time()
        medians = []
        for _ in range(3):
            samples = []
            for number in range(COUNT):
                engine.evaluate("(step(), 0)")
                engine.wait_for("isShown()")
                if number % 30 == 29:
                    samples.append(engine.memory())
            medians.append(statistics.median(samples))
        return medians, engine.processor_time() - before
    finally:
        engine.close()


def main():
    engine = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    options = sys.argv[2] if len(sys.argv) > 2 else "{}"
    files = dict(images())
    ratios = []
    for feed, script in [("new elements", CREATED), ("elements used again", REUSED)]:
        (native, time), (ours, our_time) = (plateau(engine, script, each, files) for each in [None, options])
        for name, passes in [("native", native), ("polyfill", ours)]:
            print(f"{engine}, {feed}, {name}: " + ", ".join(f"{bytes / 1e6:.0f} MB" for bytes in passes))
        ratios.append(ours[-1] / native[-1])
        print(f"{engine}, {feed}: the last pass takes {ratios[-1]:.2f} times as much memory with the polyfill; the limit is 1.3",
              f"processor time: {time:.1f} s, {our_time:.1f} s with the polyfill", sep="\n", flush=True)
    sys.exit(max(ratios) > 1.3)


if __name__ == "__main__":
    main()
