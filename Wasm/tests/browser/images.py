"""Proves that the polyfill shows images that are present, added, changed and removed.
Expected values: Chromium's rendering of the WebP."""
from server import gate
from support import ALL_CONVERTED, ALL_LOADED, PICTURES, SHOW, START, check, compare, empty_page, polyfilled_page, shot


def native(browser, origin):
    page = browser.new_page(viewport={"width": 700, "height": 1100})
    page.goto(origin + "/pages/pictures.html")
    page.evaluate("addLater()")
    page.wait_for_function(ALL_LOADED)
    page.wait_for_timeout(300)
    picture = shot(page)
    page.close()
    return picture


def polyfilled(browser, origin, wanted, simd):
    name = "polyfill, " + ("vector instructions" if simd else "none")
    page = browser.new_page(viewport={"width": 700, "height": 1100})
    page.goto(origin + "/pages/pictures.html")
    page.wait_for_function(ALL_LOADED)
    page.evaluate("simd => import('/pure-webp.js').then(() => { PureWebPCore.simd = simd })", simd)
    page.evaluate(START, {})
    page.evaluate("addLater()")
    page.wait_for_function(ALL_CONVERTED)
    page.wait_for_function("""
        getComputedStyle(document.querySelector('.sheet')).backgroundImage.startsWith('url("blob:') &&
        getComputedStyle(document.querySelector('.sheet'), '::before').content.startsWith('url("blob:') &&
        Array.from(document.querySelectorAll('[style*=background]')).every(
          e => getComputedStyle(e).backgroundImage.includes('blob:'))""")
    page.wait_for_timeout(500)
    compare(name, page, wanted)
    types = page.evaluate(f"Promise.all({PICTURES}.map(i => fetch(i.currentSrc).then(r => r.blob()).then(b => b.type)))")
    check(name + ": all images are PNG", set(types) == {"image/png"}, types)
    page.close()


def stopped(browser, origin):
    """After stop(): shown images can be copied, unfinished ones are restored, and no others are converted."""
    page = empty_page(browser, origin)
    page.evaluate("options => (" + START + ")(options).then(p => { window.polyfilled = p })", {"interval": 0})
    page.evaluate("document.body.innerHTML = '<p style=\"background: url(/small/photo-q75.webp)\">sheet'")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate(SHOW, "/slow/photo-q98.webp")
    page.wait_for_function(f"{PICTURES}.length === 3 && {ALL_CONVERTED}")
    page.evaluate("polyfilled.stop()")
    page.evaluate("document.body.innerHTML += '<p>'")  # creates all elements again
    gate.set()
    page.wait_for_timeout(1500)
    found = page.evaluate(PICTURES + ".map(i => [i.currentSrc.split(':')[0], i.naturalWidth])")
    wanted = [["blob", 320], ["blob", 320], ["http", 320]]
    check("stopped: images remain, except for the unfinished one", found == wanted, found)
    found = page.evaluate("""fetch(getComputedStyle(document.querySelector('p')).backgroundImage.slice(5, -2)).then(
        r => r.blob()).then(b => b.type, String)""")
    check("stopped: the style remains", found == "image/png", found)
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("document.images[3].currentSrc")
    check("stopped: no more images are converted", found == origin + "/small/photo-q75.webp" and not page.workers, found)
    gate.clear()
    page.close()


def changed(browser, origin):
    """If the page changes an image, the new one is shown, also while the old one is still being fetched."""
    changes = [
        ("a PNG", "image.src = '/known'", 10), ("another WebP", "image.src = '/small/icon-lossless.webp'", 64),
        ("nothing", "image.removeAttribute('src')", 0), ("another candidate", "image.srcset = '/known 1x'", 10),
        ("another WebP, told late", "late(); image.src = '/small/icon-lossless.webp'", 64),
        ("another candidate, told late", "late(); image.srcset = '/known 1x'", 10),
    ]
    for before, coming in [("/slow/photo-q98.webp", "image.naturalWidth"), ("/slow/photo-q98.webp", "true"),
                           ("/hidden/photo-q98?slow", "true")]:
        for what, change, width in changes:
            what = f"changed from {before}{', of which there is some,' if coming != 'true' else ''} to {what}"
            page = empty_page(browser, origin)
            # As in Firefox: until the next image is loaded, `currentSrc` is the address of the previous one.
            page.evaluate("""() => {
                window.late = () => {
                  Object.defineProperty(image, 'currentSrc', { value: image.currentSrc, configurable: true });
                };
                document.addEventListener('load', event => delete event.target.currentSrc, true);
              }""")
            page.evaluate(START, {"interval": 0})
            page.evaluate("""source => {
                window.events = [];
                window.image = new Image();
                for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
                image.src = source;
                document.body.appendChild(image);
              }""", before)
            page.wait_for_function(coming)
            page.wait_for_timeout(200)
            page.evaluate("() => {" + change + "}")
            page.wait_for_timeout(200)
            gate.set()
            page.wait_for_timeout(700)
            found = page.evaluate("[image.naturalWidth, events]")
            check(what, found == [width, ["load"] if width else []], found)
            gate.clear()
            page.close()
    page = polyfilled_page(browser, origin, {"interval": 0})
    page.evaluate("""() => {
        window.events = [];
        window.image = new Image();
        for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
        image.srcset = '/slow/photo-q98.webp';
        document.body.appendChild(image);
      }""")
    page.wait_for_function("image.currentSrc.startsWith('blob:') && image.naturalWidth")
    page.evaluate("image.src = '/small/icon-lossless.webp'")
    page.wait_for_timeout(500)
    gate.set()
    page.wait_for_timeout(700)
    found = page.evaluate("[image.naturalWidth, events, image.currentSrc.slice(0, 5)]")
    check("changed: `src` of an incomplete image with `srcset`, which remains", found == [320, ["load"], "blob:"], found)
    gate.clear()
    page.close()
    page = polyfilled_page(browser, origin)
    page.evaluate("""() => {
        const image = new Image();
        image.onerror = () => { image.src = '/hidden/icon-lossless' };
        image.src = '/small/none.png';
        document.body.appendChild(image);
      }""")
    page.wait_for_function(ALL_CONVERTED, timeout=5000)
    check("changed after a failure: the new image is checked", True)
    page.close()


def resized(browser, origin):
    """A new size of the window, or another color scheme, selects other candidates, of WebP and other formats. A
    candidate without `sizes` does not inherit the `sizes` of the previous candidate."""
    pages = [empty_page(browser, origin, viewport={"width": 400, "height": 400}) for _ in range(2)]
    page, plain = pages
    page.evaluate(START, {})
    for each in pages:
        each.evaluate("""() => {
            document.body.innerHTML = `
              <picture><source media="(min-width: 500px)" srcset="/small/icon-lossless.webp">
                <img src="/small/photo-q75.webp"></picture>
              <picture><source media="(min-width: 500px)" srcset="/known"><img src="/small/photo-q75.webp?a"></picture>
              <img sizes="(min-width: 500px) 640px, 320px"
                srcset="/small/photo-q75.webp?b 320w, /small/screenshot.webp 640w">
              <picture><source media="(min-width: 500px)" srcset="/small/screenshot.webp?c 640w" sizes="640px">
                <img srcset="/small/photo-q75.webp?c 320w" sizes="100px"></picture>
              <picture><source media="(min-width: 500px)" srcset="/small/screenshot.webp?d 640w">
                <img srcset="/small/photo-q75.webp?d 320w" sizes="100px"></picture>
              <picture><source media="(prefers-color-scheme: dark)" srcset="/small/icon-lossless.webp?e">
                <img src="/small/photo-q75.webp?e"></picture>`;
          }""")
    widths = PICTURES + ".map(image => image.naturalWidth)"
    found = f"[{widths}, {PICTURES}.map(image => image.currentSrc.split(':')[0])]"
    for width, scheme in [(400, "light"), (600, "light"), (400, "light"), (400, "dark")]:
        for each in pages:
            each.set_viewport_size({"width": width, "height": 400})
            each.emulate_media(color_scheme=scheme)
        plain.wait_for_timeout(500)
        plain.wait_for_function(ALL_LOADED)
        wanted = [plain.evaluate(widths), ["blob", "http" if width == 600 else "blob", "blob", "blob", "blob", "blob"]]
        page.wait_for_function(f"wanted => JSON.stringify({found}) === JSON.stringify(wanted)", arg=wanted)
        check(f"resized: the browser's choice at {width}, {scheme}, which is converted if it is WebP", True)
    for each in pages:
        each.close()
    page = polyfilled_page(browser, origin, viewport={"width": 400, "height": 400})
    page.evaluate("""() => {
        document.body.innerHTML = '<img srcset="/small/photo-q75.webp 320w, /small/screenshot.webp 640w" sizes=320px>';
      }""")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate("document.images[0].sizes = '640px'")
    pixels = "fetch(document.images[0].currentSrc).then(r => r.blob()).then(createImageBitmap).then(i => i.width)"
    for what, width in [("with the sizes that a script sets", 400), ("with them in another window", 450)]:
        page.set_viewport_size({"width": width, "height": 400})
        page.wait_for_timeout(700)
        found = page.evaluate(pixels)
        check(f"resized: {what}", found == 640, found)
    page.close()
    page = polyfilled_page(browser, origin, viewport={"width": 400, "height": 400})
    page.evaluate("""() => {
        document.body.innerHTML = `<img sizes="(min-width: 500px) 640px, 320px"
            srcset="/known 320w, /unknown/screenshot.webp 640w">`;
      }""")
    page.wait_for_function(ALL_LOADED)
    page.set_viewport_size({"width": 600, "height": 400})
    page.wait_for_function(ALL_CONVERTED, timeout=5000)
    check("resized: a WebP is shown that replaces a PNG and fails without an event", True)
    page.close()


def faded(browser, origin):
    """Images fade in to the opacity that the page defines. They appear immediately if the user prefers less motion."""
    page = polyfilled_page(browser, origin, {"fade": 1000})
    page.evaluate("""() => {
        document.head.innerHTML += '<style>img { opacity: 0.5 }</style>';
        const { animate } = Element.prototype;
        Element.prototype.animate = function (...values) {
          window.animation = animate.apply(this, values);
          animation.pause();
          return animation;
        };
      }""")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    page.wait_for_function("window.animation")
    opacity = "time => { animation.currentTime = time; return Number(getComputedStyle(document.images[0]).opacity) }"
    found = [round(page.evaluate(opacity, time), 2) for time in [0, 500, 999]]
    check("faded: to the opacity that the page defines", found == [0, 0.25, 0.5], found)
    page.evaluate("window.animation = undefined")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(SHOW, "/small/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    page.wait_for_timeout(300)
    check("faded: not if the user prefers less motion", page.evaluate("window.animation === undefined"))
    page.close()
