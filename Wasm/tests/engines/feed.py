"""Memory of a feed: 300 images of 800 × 600 in a virtual list that retains 20 of them in the document, scrolled to the end
three times. All processes of the browser are added up, natively and with the polyfill. No other instance of the browser may
run: memory that several processes share is counted in parts.

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
  const image = new Image(800, 600);
  image.style.display = "block";
  image.src = "/feed/" + next++ %% %d + ".webp";
  list.appendChild(image);
  items.push(image);
  if (items.length > %d) items.shift().remove();
  list.scrollTop = list.scrollHeight;
};
window.isShown = () => items.slice(-3).every(image => image.complete && image.naturalWidth);
""" % (COUNT, SHOWN)


def images():
    photo = Image.open(IMAGES / "photo-q98.webp").convert("RGB").resize((800, 600))
    for number in range(COUNT):
        data = io.BytesIO()
        shifted = Image.new("RGB", photo.size)
        shifted.paste(photo, (-2 * number, 0))
        shifted.paste(photo, (800 - 2 * number, 0))
        shifted.save(data, "WEBP", quality=80, method=0)
        yield f"/feed/{number}.webp", ("image/webp", data.getvalue())


def plateau(engine_name, options, files):
    """The medians of each pass, in bytes."""
    site = Site(hides=False)
    site.files.update(files)
    engine = ENGINES[engine_name]()
    try:
        engine.goto(site.origin + "/pages/empty.html")
        if options is not None:
            engine.evaluate(f"import('/pure-webp.js').then(m => m.polyfill(Object.assign({{force: true}}, {options}))).then(() => 0)")
        engine.evaluate(f"(() => {{ {LIST} }})()")
        medians = []
        for _ in range(3):
            samples = []
            for number in range(COUNT):
                engine.evaluate("(step(), 0)")
                engine.wait_for("isShown()")
                if number % 30 == 29:
                    samples.append(engine.memory())
            medians.append(statistics.median(samples))
        return medians
    finally:
        engine.close()


def main():
    engine = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    options = sys.argv[2] if len(sys.argv) > 2 else "{}"
    files = dict(images())
    native = plateau(engine, None, files)
    ours = plateau(engine, options, files)
    for name, passes in [("native", native), ("polyfill", ours)]:
        print(f"{engine}, {name}: " + ", ".join(f"{bytes / 1e6:.0f} MB" for bytes in passes))
    ratio = ours[-1] / native[-1]
    print(f"{engine}: the last pass takes {ratio:.2f} times as much with the polyfill; the limit is 1.3")
    sys.exit(ratio > 1.3)


if __name__ == "__main__":
    main()
