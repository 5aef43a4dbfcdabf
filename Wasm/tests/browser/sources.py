"""Proves that the polyfill selects the same candidates, addresses and origins as the browser.
Expected values: Chromium's choice for the same page with WebP."""
import re

from server import asked, gate
from support import ALL_CONVERTED, ALL_LOADED, PICTURES, SHOW, START, check, empty_page, polyfilled_page


def sources(browser, origin):
    """Sources that are added, removed and changed: the current ones are shown, also after a resize."""
    put = "srcset => { const s = document.createElement('source'); s.srcset = srcset; image.before(s); return s }"
    changes = [
        ("changed", "image.previousSibling.srcset = '%s'"), ("replaced", f"image.previousSibling.remove(); ({put})('%s')"),
        ("added", f"image.parentNode.prepend(({put})('%s'))"),
        ("in a new picture", f"const p = document.createElement('picture'); image.parentNode.before(p); p.append(image); "
                             f"({put})('%s')"),
    ]
    for what, change in changes:
        for srcset, width in [("/unknown/icon-lossless.webp", 64), ("/unknown/icon-lossless.webp 2x", 32),
                              ("/known", 10)]:
            page = polyfilled_page(browser, origin, viewport={"width": 400, "height": 400})
            page.evaluate("""() => {
                document.body.innerHTML =
                  '<picture><source srcset="/unknown/photo-q75.webp"><img src="/unknown/none.webp"></picture>';
                window.image = document.images[0];
              }""")
            page.wait_for_function(ALL_CONVERTED)
            asked.clear()
            page.evaluate("() => {" + change % srcset + "}")
            page.wait_for_timeout(500)
            page.set_viewport_size({"width": 500, "height": 400})
            page.wait_for_timeout(700)
            found = page.evaluate("image.naturalWidth"), len(asked)
            is_right = found[0] == width and found[1] < 5
            check(f"sources: {what}: {srcset} is shown, and requested only a few times", is_right, found)
            page.close()
    page = polyfilled_page(browser, origin)
    page.evaluate("""() => {
        document.body.innerHTML = `<picture><source srcset="/unknown/icon-lossless.webp" media=print>
          <img src="/unknown/photo-q75.webp"></picture>`;
      }""")
    page.wait_for_function(ALL_CONVERTED)
    for what, change, width in [("for other media", "document.querySelector('source').media = 'all'", 64),
                                ("that goes", "document.querySelector('source').remove()", 320)]:
        page.evaluate("() => {" + change + "}")
        page.wait_for_timeout(700)
        found = page.evaluate("document.images[0].naturalWidth")
        check(f"sources: one {what}", found == width and page.evaluate(ALL_CONVERTED), found)
    page.close()
    page = polyfilled_page(browser, origin)
    changes = [
        ("photo-q75", "a WebP that comes", "", f"({put})('/unknown/icon-lossless.webp')", 64),
        ("photo-q98", "a PNG that comes", "", f"({put})('/known')", 10),
        ("screenshot", "a PNG that is for other media at first", "<source media=print srcset=/known>",
         "image.previousSibling.media = ''", 10),
    ]
    for name, what, source, change, width in changes:
        page.evaluate("""([source, name]) => {
            window.events = [];
            document.body.innerHTML = `<picture>${source}<img src="/unknown/${name}.webp?slow"></picture>`;
            window.image = document.images[0];
            for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
          }""", [source, name])
        page.wait_for_timeout(500)
        page.evaluate("() => {" + change + "}")
        page.wait_for_timeout(500)
        gate.set()
        page.wait_for_timeout(500)
        found = page.evaluate("[image.naturalWidth, events]")
        check(f"sources: {what}, while another image is still loading, is shown", found == [width, ["load"]], found)
        gate.clear()
    page.close()


def fetched(browser, origin, other):
    """Images that are requested with cookies."""
    page = polyfilled_page(browser, origin, viewport={"width": 400, "height": 400})
    show = "source => document.body.insertAdjacentHTML('beforeend', `<img crossorigin=use-credentials src=${source}>`)"
    page.evaluate(show, other + "/secret/photo-q75.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("document.images[0].naturalWidth")
    check("credentials: without them, the image is not shown", found == 0, found)
    page.context.add_cookies([{"name": "a", "value": "b", "url": other}])
    page.evaluate(show, other + "/secret/photo-q98.webp")
    page.wait_for_function("document.images[1].naturalWidth && document.images[1].currentSrc.startsWith('blob:')")
    check("credentials: with them, the image is shown", True)
    # While the same file is still being loaded with the other credentials.
    for name, attributes in [("icon-lossless", ["", "crossorigin=use-credentials"]),
                             ("photo-alpha-q75", ["crossorigin=use-credentials", ""])]:
        page.evaluate("""([source, attributes]) => {
            document.body.innerHTML = attributes.map(attribute => `<img ${attribute} src=${source}>`).join('');
          }""", [f"{other}/secret/{name}.webp?slow", attributes])
        page.wait_for_timeout(500)
        gate.set()
        page.wait_for_timeout(1500)
        found = page.evaluate(PICTURES + ".map(i => i.currentSrc.split(':')[0])")
        wanted = ["blob" if attribute else "http" for attribute in attributes]
        check(f"credentials: {attributes} at the same time", found == wanted, found)
        gate.clear()
    page.context.clear_cookies()
    page.close()


def addresses(browser, origin):
    """An invalid address stops neither the style sheets nor other candidates of the same image."""
    page = empty_page(browser, origin)
    page.evaluate("""() => {
        document.head.innerHTML += '<style>p { background: url(/small/photo-q75.webp) }</style>';
        document.body.innerHTML =
          '<p style="background: url(http://)">A<p>B<img srcset="http:// 0.5x, /small/photo-q98.webp 1x">';
      }""")
    page.wait_for_function(ALL_LOADED)
    page.evaluate(START, {})
    page.wait_for_timeout(1500)
    found = page.evaluate("getComputedStyle(document.querySelectorAll('p')[1]).backgroundImage")
    check("addresses: style sheets next to an invalid address", found.startswith('url("blob:'), found)
    check("addresses: candidates next to an invalid address", page.evaluate(ALL_CONVERTED))
    for text in ["/small/screenshot.webp 16w,/small/photo-q75.webp 160w", ",, /small/photo-q75.webp 320w 240h ,",
                 "/small/none,a.webp 2x,/small/photo-q75.webp,"]:
        size = """text => {
            const image = new Image();
            image.sizes = '128px';
            image.srcset = text;
            document.body.textContent = '';
            document.body.appendChild(image);
          }"""
        plain = empty_page(browser, origin)
        for each, loaded in [(plain, ALL_LOADED), (page, ALL_CONVERTED)]:
            each.evaluate(size, text)
            each.wait_for_function(loaded)
        found, wanted = [each.evaluate("document.images[0].naturalWidth") for each in (page, plain)]
        check(f"addresses: the width equals the browser's: {text}", found == wanted, (found, wanted))
        found = page.evaluate("document.images[0].srcset")
        check("addresses: the other text is unchanged", re.sub(r"blob:[^\s,]+", "/small/photo-q75.webp", found) == text, found)
        plain.close()
    page.close()
    page = empty_page(browser, origin)
    for text in ["url(", "url( "]:
        page.evaluate("text => document.body.style.content = `'${text.repeat(200000)}'`", text)
        page.evaluate("text => { document.body.style.quotes = `'url(${text.repeat(800000)}' ''` }", text[4:])
        taken = page.evaluate("""() => import('/pure-webp.js').then(async m => {
            const start = performance.now();
            (await m.polyfill({force: true})).stop();
            return performance.now() - start;
          })""")
        check("addresses: long invalid text is parsed once", taken < 30000, taken)  # repeated parsing would take minutes
    page.close()


def origins(browser, origin, other):
    page = empty_page(browser, origin)
    page.evaluate(SHOW, other + "/cdn/photo-q75.webp")
    page.evaluate("source => { document.body.style.background = `url(${source})` }", other + "/cdn/photo-q98.webp")
    page.wait_for_function(ALL_LOADED)
    page.wait_for_timeout(500)
    page.evaluate(START, {})
    page.wait_for_timeout(1000)
    found = page.evaluate("[document.images[0].currentSrc, document.body.style.backgroundImage.slice(5)]")
    shown = all(address.startswith("blob:") for address in found)
    check("another origin that permits requests with Origin, although the cached response lacks the permission",
          shown, found)
    page.close()
    page = polyfilled_page(browser, origin)
    page.evaluate(SHOW, other + "/shared/photo-q75.webp")
    page.wait_for_function(ALL_CONVERTED)
    check("another origin that permits it", True)
    # A file of a script that the browser cannot show, which is simulated.
    page.evaluate("""fetch('/small/photo-q75.webp').then(r => r.blob()).then(blob => {
        const image = new Image();
        window.events = [];
        for (const type of ['load', 'error']) image.addEventListener(type, () => events.push(type));
        image.src = URL.createObjectURL(blob);
        document.body.appendChild(image);
        return new Promise(done => image.addEventListener('load', done)).then(() => {
          image.dispatchEvent(new Event('error'));
        });
      })""")
    page.wait_for_timeout(1000)
    found = page.evaluate("fetch(document.images[1].src).then(r => r.blob()).then(b => [b.type, events])")
    check("a page's own object URL", found == ["image/png", ["load", "load"]], found)
    page.evaluate("document.images[1].dispatchEvent(new Event('error'))")
    page.wait_for_timeout(1000)
    found = page.evaluate("events")
    check("an object URL of the polyfill that the browser fails to show", found == ["load", "load", "error"], found)
    page.evaluate("document.images[1].remove()")
    page.evaluate(SHOW, other + "/small/photo-q98.webp")
    page.wait_for_timeout(1000)
    found = page.evaluate("[document.images[1].currentSrc, document.images[1].naturalWidth]")
    check("another origin that does not permit it: left to the browser",
          found == [other + "/small/photo-q98.webp", 320], found)
    page.close()
