"""Script time of style changes: in Chromium, 500 elements with a background get another position in each frame for five
seconds, without the polyfill and with it. Fails if the polyfill takes more than one millisecond per frame.

    python3 Wasm/tests/engines/styles.py
"""
import sys

from engines import Chromium
from website import Site

STORM = """new Promise(done => {
  const elements = document.querySelectorAll("p");
  const end = performance.now() + 5000;
  let frames = 0;
  requestAnimationFrame(function step() {
    frames += 1;
    elements.forEach((element, index) => { element.style.transform = `translate(${(frames + index) % 100}px)` });
    if (performance.now() < end) requestAnimationFrame(step);
    else done(frames);
  });
})"""


def script_time(engine):
    """Returns the time that the page's scripts have taken, in seconds."""
    metrics = engine.socket.call("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration")


def storm(polyfills):
    """Returns the script time of a frame, in milliseconds."""
    engine = Chromium()
    try:
        engine.socket.call("Performance.enable")
        engine.goto(Site().origin + "/pages/empty.html")
        engine.evaluate("(document.body.innerHTML = '<p style=\"background: #eee\">A</p>'.repeat(500), 0)")
        if polyfills:
            engine.evaluate("import('/pure-webp.js').then(module => module.polyfill({ force: true })).then(() => 0)")
        before = script_time(engine)
        frames = engine.evaluate(STORM)
        return 1000 * (script_time(engine) - before) / frames
    finally:
        engine.close()


def main():
    without, with_polyfill = storm(False), storm(True)
    print(f"script per frame: {without:.2f} ms without the polyfill, {with_polyfill:.2f} ms with it")
    sys.exit(with_polyfill > without + 1)


main()
