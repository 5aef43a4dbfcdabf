"""Proves that the polyfill reads the same addresses as the browser, and requests only files that the page may read.
Expected values: Chromium's choice for the same page with WebP, and values that are written here."""
import re
import time

from features import POLYFILL, SHOWN, add, holds, open_page, run, start
from website import Site

PHOTO, OTHER = "/images/photo-q75.webp", "/images/photo-q98.webp"


def candidates(engine, check, name):
    """Candidates in unusual forms. The polyfill changes only the addresses in them."""
    for text in ["/images/screenshot.webp 16w,/images/photo-q75.webp 160w", ",, /images/photo-q75.webp 320w 240h ,",
                 "/images/none,a.webp 2x,/images/photo-q75.webp,"]:
        widths = []
        for mode in ["", "polyfill"]:
            open_page(engine, Site(mode, hides=bool(mode)))
            add(engine, f"<img sizes=128px srcset='{text}'>")
            engine.wait_for(SHOWN if mode else "document.images[0].naturalWidth")
            widths.append(engine.evaluate("document.images[0].naturalWidth"))
        check(f"candidates: the width equals the browser's: {text}", widths[0] == widths[1], widths)
        found = re.sub(r"blob:[^\s,]+", PHOTO, engine.evaluate("document.images[0].srcset"))
        check("candidates: the other text is unchanged", found == text, found)


def invalid_addresses(engine, check, name):
    """An invalid address stops neither the style sheets nor other candidates of the same image."""
    open_page(engine, Site(), f"""<style>p {{ background: url({PHOTO}) }}</style>
        <p style="background: url(http://)">A<p>B<img srcset="http:// 0.5x, {OTHER} 1x">""")
    start(engine)
    check("addresses: candidates next to an invalid address", holds(engine, SHOWN))
    check("addresses: style sheets next to an invalid address", holds(
        engine, "getComputedStyle(document.querySelectorAll('p')[1]).backgroundImage.startsWith('url(\"blob:')"))
    open_page(engine, Site())
    for text in ["url(", "url( "]:
        run(engine, f"""document.body.style.content = `'${{"{text}".repeat(200000)}}'`;
            document.body.style.quotes = `'url(${{"{text[4:]}".repeat(800000)}}' ''`;""")
        taken = engine.evaluate(f"""(start => {POLYFILL % ''}.then(result => {{
            result.stop();
            return performance.now() - start;
          }}))(performance.now())""")
        # Repeated parsing would take minutes.
        check("addresses: long invalid text is parsed once", taken < 30000, taken)


def credentials(engine, check, name):
    """Files that need cookies, while the same files are loaded without them."""
    site, other = Site(), Site()
    other.headers.update({"Access-Control-Allow-Origin": site.origin, "Access-Control-Allow-Credentials": "true"})
    other.needs_cookie = True
    open_page(engine, site)
    run(engine, "document.cookie = 'a=b; path=/'")
    start(engine)
    both = ["", "crossorigin=use-credentials"]
    for path, attributes in [(PHOTO, both), (OTHER, both[::-1])]:
        gate = other.stall(path)
        run(engine, "document.body.textContent = ''")
        add(engine, *(f"<img {each} src={other.origin}{path}>" for each in attributes))
        time.sleep(0.5)
        gate.set()
        time.sleep(1.5)
        found = engine.evaluate("Array.from(document.images, i => i.currentSrc.split(':')[0])")
        expected = ["blob" if attribute else "http" for attribute in attributes]
        check(f"credentials: {attributes} at the same time", found == expected, found)


def origins(engine, check, name):
    """The browser's own request of another origin's file has no `Origin`, so the stored response has no permission."""
    site, other = Site(hides=False), Site(hides=False)
    other.headers["Access-Control-Allow-Origin"] = "*"
    open_page(engine, site, f"<img src={other.origin}{PHOTO}><p style='background: url({other.origin}{OTHER})'>.")
    engine.wait_for("document.images[0].naturalWidth")
    time.sleep(0.5)
    start(engine)
    shown = holds(engine, f"{SHOWN} && document.querySelector('p').style.backgroundImage.includes('blob:')")
    check("another origin that permits requests with Origin: the stored response is not used", shown)
    other.headers.clear()
    run(engine, f"document.body.innerHTML = '<img src={other.origin}/images/photo-lossless.webp>'")
    time.sleep(1)
    found = engine.evaluate("[document.images[0].currentSrc, document.images[0].naturalWidth]")
    check("another origin that does not permit it: left to the browser",
          found == [f"{other.origin}/images/photo-lossless.webp", 320], found)


def object_urls(engine, check, name):
    """A file of a script that the browser cannot show, which is simulated."""
    open_page(engine, Site(hides=False))
    start(engine)
    engine.evaluate(f"""fetch("{PHOTO}").then(r => r.blob()).then(blob => {{
        const image = document.body.appendChild(new Image());
        window.events = [];
        for (const type of ["load", "error"]) image.addEventListener(type, () => events.push(type));
        image.src = URL.createObjectURL(blob);
        return new Promise(done => image.addEventListener("load", done)).then(() => {{
          image.dispatchEvent(new Event("error"));
        }});
      }})""")
    time.sleep(1)
    found = engine.evaluate("fetch(document.images[0].src).then(r => r.blob()).then(b => [b.type, events])")
    check("object URLs: the page's own", found == ["image/png", ["load", "load"]], found)
    run(engine, "document.images[0].dispatchEvent(new Event('error'))")
    time.sleep(1)
    found = engine.evaluate("events")
    check("object URLs: one of the polyfill that the browser fails to show", found == ["load", "load", "error"], found)


SOURCES_IN_CHROMIUM = [candidates, invalid_addresses, credentials, origins, object_urls]
