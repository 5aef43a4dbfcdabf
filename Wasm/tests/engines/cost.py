"""Processor time of a page of 100 images of 800 × 600, natively and with the polyfill, in fresh browsers by turns. All processes of
the browser are added up. Fails if the ratio of the least times exceeds 2.

    python3 Wasm/tests/engines/cost.py [ENGINE] [POLYFILL OPTIONS]
"""
import sys

from engines import ENGINES
from feed import images
from website import Site

COUNT, RUNS = 100, 3


def processor_time(name, options, files):
    site = Site(hides=bool(options))  # a browser without WebP does not decode the files itself
    site.files.update(files)
    engine = ENGINES[name]()
    try:
        engine.goto(site.origin + "/pages/empty.html")
        before = engine.processor_time()
        if options:
            engine.evaluate(f"import('/pure-webp.js').then(m => m.polyfill(Object.assign({{force: true}}, {options}))).then(() => 0)")
        engine.evaluate(f"""(document.body.innerHTML = Array.from({{ length: {COUNT} }}, (_, number) =>
            `<img width=80 src=/feed/${{number}}.webp>`).join(""), 0)""")
        prefix = "blob:" if options else "http"
        engine.wait_for(f"""Array.from(document.images).every(image =>
            image.complete && image.naturalWidth && image.currentSrc.startsWith("{prefix}"))""", 120)
        engine.evaluate("new Promise(done => setTimeout(done, 1000)).then(() => 0)")
        return engine.processor_time() - before
    finally:
        engine.close()


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    options = sys.argv[2] if len(sys.argv) > 2 else "{}"
    files = dict(images(COUNT))
    times = [[processor_time(name, each, files) for each in [None, options]] for _ in range(RUNS)]
    native, ours = map(min, zip(*times))
    print(f"{name}: {native:.2f} s natively, {ours:.2f} s with the polyfill, {ours / native:.2f} times as much; the limit is 2; all: {times}")
    sys.exit(ours > 2 * native)


if __name__ == "__main__":
    main()
