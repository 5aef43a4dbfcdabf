"""Script time of style changes: in Chromium, 500 elements with a background get another position in each frame, without the
polyfill and with it, for a second each, alternately. Fails if the polyfill takes more than one millisecond per frame.

    python3 Wasm/tests/engines/styles.py
"""
import sys

from engines import Chromium
from website import Site

STORM = """new Promise(done => {
  const elements = document.querySelectorAll("p");
  const end = performance.now() + 1000;
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


def storm(engine):
    """Returns the script time of a frame, in milliseconds."""
    before = script_time(engine)
    frames = engine.evaluate(STORM)
    return 1000 * (script_time(engine) - before) / frames


def main():
    engine = Chromium()
    try:
        engine.socket.call("Performance.enable")
        engine.goto(Site().origin + "/pages/empty.html")
        engine.evaluate("(document.body.innerHTML = '<p style=\"background: #eee\">A</p>'.repeat(500), 0)")
        without, with_polyfill = [], []
        for _ in range(8):
            without.append(storm(engine))
            engine.evaluate("import('/pure-webp.js').then(m => m.polyfill({ force: true })).then(r => (window.result = r, 0))")
            with_polyfill.append(storm(engine))
            engine.evaluate("(result.stop(), 0)")
    finally:
        engine.close()
    # The shortest times, because other programs may run.
    print(f"script per frame: {min(without):.2f} ms without the polyfill, {min(with_polyfill):.2f} ms with it")
    sys.exit(min(with_polyfill) > min(without) + 1)


main()
