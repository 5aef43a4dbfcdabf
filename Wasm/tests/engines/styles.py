"""Script time of style changes: in Chromium, 500 elements get another position in each frame for five seconds.

    python3 Wasm/tests/engines/styles.py

The page runs without the polyfill, with it, and with a polyfill that lacks its first check, which tests the names of
the properties.
"""
from engines import Chromium
from website import WASM, Site

CHECK = "if (mayHaveImage.test(style[index])) "
STORM = """new Promise(done => {
  const elements = document.querySelectorAll("p");
  const end = performance.now() + 5000;
  let frames = 0;
  requestAnimationFrame(function step() {
    frames += 1;
    elements.forEach((element, index) => { element.style.left = (frames + index) % 100 + "px" });
    if (performance.now() < end) requestAnimationFrame(step);
    else done(frames);
  });
})"""


def script_time(engine):
    """Returns the time that the page's scripts have taken, in seconds."""
    metrics = engine.socket.call("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration")


def storm(script, polyfills):
    """Returns the script time in seconds, and the number of frames."""
    site = Site()
    site.files["/pure-webp.js"] = ("text/javascript", script.encode())
    engine = Chromium()
    try:
        engine.socket.call("Performance.enable")
        engine.goto(site.origin + "/pages/empty.html")
        engine.evaluate("(document.body.innerHTML = '<p style=\"position: relative\">A</p>'.repeat(500), 0)")
        if polyfills:
            engine.evaluate("import('/pure-webp.js').then(module => module.polyfill({ force: true })).then(() => 0)")
        before = script_time(engine)
        frames = engine.evaluate(STORM)
        return script_time(engine) - before, frames
    finally:
        engine.close()


def main():
    script = (WASM / "dist/pure-webp.js").read_text()
    if CHECK not in script:
        raise SystemExit("pure-webp.js has another first check than this test")
    for name, text, polyfills in [("without the polyfill", script, False), ("with the polyfill", script, True),
                                  ("with the polyfill, without its first check", script.replace(CHECK, ""), True)]:
        seconds, frames = storm(text, polyfills)
        print(f"{name}: {seconds:.2f} s of script in {frames} frames, {1000 * seconds / frames:.2f} ms each")


if __name__ == "__main__":
    main()
