"""Proves that images and animations that exceed `shownPixels` are shown with less, and get the rest when there is room.
Expected values: the sizes of the files, and what is written here."""
import io
import time

from PIL import Image

from cells import register
from features import POLYFILL, add, box, holds, open_page
from website import Site

# Each image's natural width, and whether its source has frames.
SHOWN = """Promise.all(Array.from(document.images, image => image.currentSrc.startsWith("blob:")
    ? fetch(image.currentSrc).then(r => r.text()).then(text => [image.naturalWidth, text.includes("acTL")], String) : "not shown"))"""
PLAYING = f"{SHOWN}.then(all => all.filter(([, plays]) => plays === true).length)"


def animation(side, count):
    """Returns an animation, each of whose frames replaces the canvas."""
    frames = [Image.new("RGB", (side, side), (40 * n % 256, 90 * n % 256, 200 - n)) for n in range(count)]
    data = io.BytesIO()
    frames[0].save(data, "WEBP", save_all=True, append_images=frames[1:], duration=100, lossless=True)
    return "image/webp", data.getvalue()


def watch(engine, options):
    """Starts the polyfill. Events and errors are recorded."""
    options += "onError: (error, url) => { failures.push(error.message) }"
    engine.evaluate(f"(window.failures = [], {POLYFILL % options}.then(() => 0))")
    engine.evaluate("""(window.events = {}, ["load", "error"].forEach(type => document.addEventListener(
        type, ({ target }) => { events[target.id] = (events[target.id] || []).concat(type) }, true)), 0)""")


def animations(engine, check, name):
    """Twelve animations of 10 frames of 10,000 pixels, of which at most three play together with nine first frames."""
    site = Site()
    site.files["/animation.webp"] = animation(100, 10)
    open_page(engine, site)
    watch(engine, "shownPixels: 4e5, ")
    add(engine, *(f"<img id=i{n} src=/animation.webp?{n}>" for n in range(12)))
    shown = holds(engine, f"{SHOWN}.then(all => all.every(each => each[0] === 100))")
    time.sleep(1)
    found = engine.evaluate(SHOWN)
    playing = [plays for _, plays in found].count(True)
    check("budget: all animations are shown", shown, found)
    check("budget: some play", 2 <= playing <= 3, found)
    changes = {"removed": "remove()", "changed": "src = '/fallback.png'"}
    for what in 2 * [*changes]:
        engine.evaluate(f"""{SHOWN}.then(all => {{
            const images = Array.from(document.images);
            all.forEach(([, plays], index) => plays === true && (images[index].id = "changed", images[index].{changes[what]}));
          }}).then(() => 0)""")
        left = engine.evaluate("document.querySelectorAll('img:not(#changed)').length")
        plays = holds(engine, f"{PLAYING}.then(count => count >= Math.min(2, {left}))")
        check(f"budget: others play when they are {what} ({left} left)", plays, engine.evaluate(SHOWN))
    heard = engine.evaluate("(delete events.changed, [Object.values(events).map(String), failures])")
    check("budget: each has one event, and none fails", heard == [["load"] * 12, []], heard)


def scrolled_animations(engine, check, name):
    """Animations play while they are in the viewport."""
    site = Site()
    site.files["/animation.webp"] = animation(100, 10)
    for observes in [True, False]:
        what = "budget" if observes else "budget, without IntersectionObserver"
        open_page(engine, site)
        if not observes:
            engine.evaluate("(window.IntersectionObserver = undefined, 0)")
        watch(engine, "")
        add(engine, *(f"<img id=i{n} src=/animation.webp?{n} style='display: block; margin-bottom: 4000px'>" for n in range(3)))
        for top, expected in [(0, [True, False, False]), (8200, [False, False, True]), (0, [True, False, False])]:
            engine.evaluate(f"(scrollTo(0, {top}), 0)")
            wanted = expected if observes else [True] * 3
            plays = holds(engine, f"{SHOWN}.then(all => String(all.map(each => each[1])) === '{','.join(map(str, wanted)).lower()}')", 5)
            check(f"{what}: those at {top} play", plays, engine.evaluate(SHOWN))
        heard = engine.evaluate("[Object.values(events).map(String), failures]")
        check(f"{what}: each has one event, and none fails", heard == [["load"] * 3, []], heard)


def released_frames(engine, check, name):
    """The URLs of animations that exceed the cache are released. The animations still play, also in other elements."""
    site = Site()
    site.files["/animation.webp"] = animation(100, 10)
    open_page(engine, site)
    watch(engine, "cacheBytes: 0, ")
    plays = f"{SHOWN}.then(all => all.pop()[1] === true)"
    add(engine, "<img id=i0 src=/animation.webp?0>")
    check("released frames: an animation plays", holds(engine, plays))
    engine.evaluate("(window.url = document.images[0].currentSrc, 0)")
    add(engine, "<img id=i1 src=/animation.webp?1>")
    check("released frames: another one plays", holds(engine, plays))
    check("released frames: the URL is released", holds(engine, "fetch(url).then(() => false, () => true)"))
    colors = {engine.screenshot().crop(box(engine)).getpixel((50, 50)) for _ in range(10) if not time.sleep(0.15)}
    is_same = engine.evaluate("document.images[0].currentSrc === url")
    check("released frames: the first one still plays", len(colors) > 2 and is_same, colors)
    add(engine, "<img id=i2 src=/animation.webp?0>")
    check("released frames: it plays in another element", holds(engine, plays))
    engine.evaluate("(document.images[0].style.marginTop = '5000px', scrollTo(0, 0), 0)")
    time.sleep(1)
    engine.evaluate("(document.images[0].style.marginTop = 0, 0)")
    again = holds(engine, f"{SHOWN}.then(all => all[0][1] === true)")
    check("released frames: it plays when it is visible again", again, engine.evaluate(SHOWN))
    heard = engine.evaluate("[Object.values(events).map(String), failures]")
    check("released frames: each has one event, and none fails", heard == [["load"] * 3, []], heard)


def returned_pixels(engine, check, name):
    """Images with fewer pixels get all of them when the others have been removed."""
    open_page(engine, Site())
    watch(engine, "shownPixels: 2 ** 18, cacheBytes: 0, ")
    add(engine, *(f"<img id=i{n} width=100 height=75 src=/images/photo-q75.webp?{n}>" for n in range(6)))
    kinds = """Promise.all(Array.from(document.images, image => fetch(image.currentSrc).then(r => r.blob()).then(
        blob => blob.type, String)))"""
    engine.evaluate("(URL.revokeObjectURL = () => {}, 0)")  # the test reads images later
    holds(engine, f"{kinds}.then(all => all.every(kind => kind.startsWith('image/')) && all.includes('image/svg+xml'))")
    found = engine.evaluate(kinds)
    check("budget: some images are smaller", 1 <= found.count("image/svg+xml") <= 4, found)
    engine.evaluate(f"""{kinds}.then(all => {{
        const images = Array.from(document.images);
        all.forEach((kind, index) => kind === "image/png" && images[index].remove());
      }}).then(() => 0)""")
    check("budget: they get all pixels when the others are removed", holds(
        engine, f"document.images.length && {kinds}.then(all => all.every(kind => kind === 'image/png'))", 5), engine.evaluate(kinds))
    heard = engine.evaluate("[Object.values(events).map(String), failures]")
    check("budget: each image has one event, and none fails", heard == [["load"] * 6, []], heard)


def service_worker_animations(engine, check, name):
    """An animation of 140 million pixels, for which the service worker has no room."""
    site = Site("service worker")
    site.files["/large.webp"] = animation(1000, 140)
    if not register(engine, site):
        return check("budget, service worker: it controls the page", False)
    add(engine, "<img src=/large.webp>")
    shown = holds(engine, "document.images[0].naturalWidth === 1000")
    size = engine.evaluate("performance.getEntriesByType('resource').pop().decodedBodySize")
    check("budget, service worker: it is shown, and has at most one frame", shown and 0 < size < 4.1 * 1000 ** 2, size)


BUDGET = [animations, scrolled_animations, released_frames, returned_pixels]
