"""Proves that the polyfill shows the frames of animations at their times.
Expected values: Chromium's rendering of the WebP."""
from support import check, polyfilled_page

TIMES = """async (url, type) => {
    const decoder = new ImageDecoder({ data: await (await fetch(url)).arrayBuffer(), type });
    await decoder.tracks.ready;
    await decoder.completed;
    const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
    const times = [repetitionCount];
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
      times.push((await decoder.decode({ frameIndex })).image.duration);
    }
    return times;
  }"""


def animation(browser, origin):
    """The polyfill shows an animated PNG, which the browser plays. (tests/animations.py compares the frames.)"""
    page = polyfilled_page(browser, origin)
    for name in ["animation-full-frames.webp", "encoder-img2webp-animation.webp", "encoder-pillow-animation.webp"]:
        page.evaluate("""name => {
            document.body.textContent = '';
            const image = new Image();
            image.src = '/vectors/' + name;
            document.body.appendChild(image);
          }""", name)
        page.wait_for_function("document.images[0].complete && document.images[0].currentSrc.startsWith('blob:')")
        wanted = page.evaluate(f"({TIMES})('/vectors/{name}', 'image/webp')")
        for _ in range(50):  # the first frame precedes the animation
            found = page.evaluate(f"({TIMES})(document.images[0].currentSrc, 'image/png')")
            if found == wanted:
                break
            page.wait_for_timeout(100)
        check(f"{name}: {len(wanted) - 1} frames, loops and times as Chromium reads them", found == wanted,
              (found, wanted))
    page.close()
