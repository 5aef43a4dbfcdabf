"""Proves that the polyfill converts images in style sheets, in style attributes and in copied elements.
Expected values: Chromium's computed styles."""
import time

from features import SHOWN, add, holds, open_page, run, start
from website import Site

PHOTO, OTHER = "/images/photo-q75.webp", "/images/photo-q98.webp"
LOSSLESS, LOSSY = "/images/icon-lossless.webp", "/images/icon-lossy.webp"
# Waits of the polyfill take less time.
SHORT = "const wait = setTimeout; window.setTimeout = (call, time) => wait(call, Math.min(time, 300));"
BACKGROUND = "getComputedStyle(document.querySelector('%s')).backgroundImage"
CONVERTED = BACKGROUND + r""".startsWith('url("blob:')"""


def add_rules(engine, rules):
    run(engine, f"document.head.insertAdjacentHTML('beforeend', `<style>{rules}</style>`)")


def show(engine, *names):
    """Shows images that evict others from the cache."""
    for name in names:
        add(engine, f"<img src=/images/{name}.webp>")
        engine.wait_for(SHOWN)
        time.sleep(0.7)


def urls_of(selector):
    return BACKGROUND % selector + ".split(', ').map(url => url.slice(5, -2))"


def exist(urls):
    """An expression: whether each object URL exists."""
    return f"Promise.all({urls}.map(url => fetch(url).then(() => url.startsWith('blob:'), () => false)))"


def applied_rules(engine, check, name):
    """Rules that begin to apply without a notification; and images that do not exist."""
    site = Site()
    open_page(engine, site, """<p id=theme><input type=checkbox id=c></p><p id=within><a href=x>x</a></p>
        <details><summary>x</summary><p id=open></p></details><p id=escaped><p id=wide><p id=print><p id=none>
        <p style="background: url(/images/nowhere.webp)"><p id=nested class=lit>""")
    run(engine, "document.querySelector('#c').insertAdjacentHTML('afterend', '<p id=state>')")
    add_rules(engine, rf"""
        [data-theme=dark] #theme {{ background: url({PHOTO}) }}
        #c:checked + #state {{ background: url({PHOTO}) }}
        #within:focus-within {{ background: url({PHOTO}) }}
        details[open] #open {{ background: url({PHOTO}) }}
        .x\\:y #escaped {{ background: url({PHOTO}) }}
        #named {{ background: url({PHOTO}) }}
        #nested {{ &.lit {{ background: url({PHOTO}) }} & .never {{ background: url(/images/never.webp) }} }}
        @media (min-width: 1500px) {{ #wide {{ background: url({OTHER}) }} }}
        @media print {{ #print {{ background: url({LOSSY}) }} }}
        #none {{ background: url(/images/none.webp) }}""")
    start(engine)
    engine.wait_for("Array.from(document.styleSheets[0].cssRules).some(r => r.cssText.includes('blob:'))")
    run(engine, """document.documentElement.dataset.theme = "dark";
        document.querySelector("#c").checked = true;
        document.querySelector("a").focus();
        document.querySelector("details").open = true;""")
    time.sleep(0.5)
    for each in ["theme", "state", "within", "open", "nested"]:
        check(f"style sheets: a rule that begins to apply without a notification, {each}",
              engine.evaluate(CONVERTED % f"#{each}"))
    run(engine, "document.body.className = 'x:y'")
    check("style sheets: an escaped name", holds(engine, CONVERTED % "#escaped"))
    run(engine, "document.querySelector('#escaped').id = 'named'")
    check("style sheets: the image of a rule that applies after a change of an id", holds(engine, CONVERTED % "#named"))
    for _ in range(20):
        run(engine, "document.body.classList.toggle('z')")
        time.sleep(0.06)
    again = [path for path in site.asked if "none.webp" in path or "nowhere.webp" in path]
    # Each is requested by the browser and by the polyfill.
    check("style sheets: missing images are requested once", len(again) <= 4, again)
    reads = engine.evaluate("""(() => {
        const { get } = Object.getOwnPropertyDescriptor(Document.prototype, "styleSheets");
        let reads = 0;
        Object.defineProperty(document, "styleSheets", { get() { reads += 1; return get.call(document) } });
        const read = change => new Promise(done => {
          reads = 0;
          change();
          setTimeout(() => done(reads), 200);
        });
        const clock = document.createElement("p");
        return read(() => document.body.append(clock)).then(element =>
          read(() => { clock.textContent = "12:00" }).then(text => [element, text]));
      })()""")
    check("style sheets: they are read after a new element, but not after new text", reads == [1, 0], reads)
    others = [path for path in site.asked if path in (OTHER, LOSSY) or "never" in path]
    check("style sheets: images for other media, or without elements, are not requested", not others, others)
    engine.resize(1600, 1000)
    check("style sheets: they are requested when the window changes", holds(engine, CONVERTED % "#wide"))
    engine.resize(1000, 1600)
    engine.emulate("print")
    check("style sheets: they are requested when the media change", holds(engine, CONVERTED % "#print"))
    engine.emulate()


def late_sheets(engine, check, name):
    """Style sheets that load slowly; and one with media=print until it is loaded, so that nothing waits for it."""
    link = "<link rel=stylesheet href=/late.css "
    for what, sheet in [("imported", "<style>@import url(/late.css);</style>"), ("linked", link + ">"),
                        ("for print at first", link + "media=print onload='this.media = `all`'>")]:
        site = Site()
        site.files["/late.css"] = ("text/css", f"p {{ background: url({PHOTO}) }}".encode())
        gate = site.hold("/late.css")
        open_page(engine, site)
        start(engine)
        run(engine, f"document.body.innerHTML = {sheet + '<p>'!r}")
        time.sleep(0.5)
        gate.set()
        check(f"late style sheets: {what}", holds(engine, CONVERTED % "p", 5))


def plain_rules(engine, check, name):
    """Rules without images are read once."""
    open_page(engine, Site(), "<p>")
    add_rules(engine, "p { color: red }" * 1000)
    run(engine, """window.reads = 0;
        for (const type of [CSSStyleDeclaration, CSSRule, CSSStyleRule]) {
          const property = Object.getOwnPropertyDescriptor(type.prototype, "cssText");
          if (!property) continue;
          const get = function () {
            reads += 1;
            return property.get.call(this);
          };
          Object.defineProperty(type.prototype, "cssText", { get, configurable: true });
        }""")
    start(engine)
    run(engine, "document.body.className = 'x'")
    time.sleep(0.5)
    found = engine.evaluate("reads")
    check("plain rules: they are read once", found == 1000, found)
    run(engine, f"""document.styleSheets[0].cssRules[500].style.background = "url({PHOTO})";
        document.body.className = "y";""")
    check("plain rules: a rule is read again after a script has added an image", holds(engine, CONVERTED % "p"))


def shorthands(engine, check, name):
    """The longhands of a shorthand with var() have no text."""
    open_page(engine, Site(), f"""<p id=background><p id=item><p id=border><p id=mask>
        <p style="background: url('{OTHER}') var(--none)">""")
    add_rules(engine, f"""
        :root {{ --color: red; --none: ; }}
        #background {{ background: url({PHOTO}) var(--color) !important }}
        #item {{ list-style: var(--none) url({LOSSY}); display: list-item }}
        #border {{ border-image: url({PHOTO}) 10 var(--none) }}
        #mask {{ -webkit-mask: url({PHOTO}) var(--none) }}""")
    start(engine)
    converted = holds(engine, """Array.from(document.querySelectorAll("p")).every(element => {
        const style = getComputedStyle(element);
        const names = ["background-image", "list-style-image", "border-image-source", "-webkit-mask-image"];
        return names.some(name => style.getPropertyValue(name).startsWith('url("blob:'));
      })""")
    check("shorthands: with var() in them", converted)
    found = engine.evaluate("""getComputedStyle(document.querySelector("p")).backgroundColor +
        document.styleSheets[0].cssRules[1].style.getPropertyPriority("background")""")
    check("shorthands: their other parts are unchanged", found == "rgb(255, 0, 0)important", found)


def style_rules(engine, check, name):
    """Several images in one rule, of which one does not exist or is slow; and sheets of other origins."""
    site, other = Site(), Site()
    other.files["/sheet.css"] = ("text/css", b"i { color: red }")
    gate = site.stall(f"{OTHER}?slow")
    open_page(engine, site, "<i>A</i><p id=imported><p id=none><p id=late>")
    run(engine, SHORT)
    add_rules(engine, f"""@import url({other.origin}/sheet.css);
        #imported {{ background: url({PHOTO}) }}
        #none {{ background: url({PHOTO}), url(/images/none.webp), url(/fallback.png) }}
        #late {{ background: url({LOSSLESS}), url({OTHER}?slow) }}""")
    engine.wait_for("getComputedStyle(document.querySelector('i')).color === 'rgb(255, 0, 0)'")
    start(engine, "cacheBytes: 1")
    check("style sheets: images next to an import of another origin", holds(engine, CONVERTED % "#imported"))
    check("style sheets: images next to a missing image", holds(engine, CONVERTED % "#none"))
    found = engine.evaluate(urls_of("#none"))[1:]
    expected = [f"{site.origin}/images/none.webp", f"{site.origin}/fallback.png"]
    check("style sheets: other images of the rule", found == expected, found)
    show(engine, "photo-alpha-q75", "photo-lossless")
    gate.set()
    check("style sheets: images that wait for others are retained",
          holds(engine, exist(urls_of("#late")) + ".then(all => String(all) === 'true,true')"))


def removed_rules(engine, check, name):
    """Images of rules are retained as long as the rules exist, also while they are for other media."""
    open_page(engine, Site(), "<p id=wide><p id=gone>")
    run(engine, SHORT)
    add_rules(engine, f"@media (min-width: 500px) {{ #wide {{ background: url({PHOTO}) }} }}")
    add_rules(engine, f"#gone {{ background: url({LOSSLESS}) }}")
    start(engine, "cacheBytes: 1")
    for each in ["wide", "gone"]:
        engine.wait_for(CONVERTED % f"#{each}")
        run(engine, f"window.{each} = {urls_of(f'#{each}')}[0]")
    engine.resize(400, 400)
    run(engine, "document.querySelectorAll('style')[1].remove()")
    show(engine, "photo-q98", "photo-alpha-q75", "photo-lossless")
    found = engine.evaluate(exist("[wide, gone]"))
    check("rules: their images are retained as long as the rules", found == [True, False], found)
    engine.resize(1000, 1600)


def style_attributes(engine, check, name):
    """Images of style attributes are retained while their elements are in the document, and return with them."""
    open_page(engine, Site())
    run(engine, SHORT)
    start(engine, "cacheBytes: 1")
    run(engine, f"""document.head.insertAdjacentHTML("beforeend", "<link rel=icon href={LOSSY}>");
        window.p = document.createElement("p");
        p.style.background = "url({PHOTO}), url({LOSSLESS})";
        document.body.append(p);""")
    there = exist("p.style.backgroundImage.split(', ').map(url => url.slice(5, -2))")
    shown = there + ".then(all => all.every(Boolean))"
    engine.wait_for(shown)
    show(engine, "photo-q98", "photo-alpha-q75")
    check("style attributes: their images are retained", engine.evaluate(shown))
    found = engine.evaluate("""fetch(document.querySelector("link[rel=icon]").href).then(
        answer => answer.blob()).then(blob => blob.type, String)""")
    check("icons: they are retained", found == "image/png", found)
    run(engine, "p.remove()")
    show(engine, "photo-lossless")
    released = holds(engine, there + ".then(all => !all.some(Boolean))")
    check("style attributes: images of removed elements are released", released)
    run(engine, "document.body.append(p)")
    check("style attributes: the images return with the elements", holds(engine, shown))


def copies(engine, check, name):
    """Copies of images show the complete image, also if it was incomplete or its object URL was released."""
    site = Site()
    paths = [f"{OTHER}?{each}" for each in ("slow", "incomplete")]
    gates = [site.stall(path) for path in paths]
    site.incomplete = {paths[1]}
    open_page(engine, site)
    # Object URLs are released sooner than after a second.
    run(engine, "const wait = setTimeout; window.setTimeout = (call, time) => wait(call, time === 1000 ? 300 : time);")
    start(engine, "cacheBytes: 1")
    add(engine, f"<img src={paths[0]}>")
    engine.wait_for(SHOWN)
    run(engine, """window.part = document.images[0].src;
        window.early = document.body.appendChild(document.images[0].cloneNode());""")
    gates[0].set()
    complete = holds(engine, f"fetch(part).then(() => false, () => early.src === document.images[0].src && {SHOWN})")
    check("copies: of an unfinished image", complete)
    run(engine, "window.whole = document.images[0].src")
    add(engine, f"<img src={PHOTO}>")
    engine.wait_for("fetch(whole).then(() => false, () => true)")
    run(engine, """document.body.innerHTML += '<img srcset="' + document.images[0].src + ' 2x">'""")
    again = holds(engine, f"document.images.length === 4 && {SHOWN} && document.images[3].naturalWidth === 160")
    check("copies: of a released image", again)
    run(engine, f"document.body.innerHTML = '<img src={paths[1]}>'")
    engine.wait_for(SHOWN)
    run(engine, "window.copy = document.images[0].cloneNode()")
    gates[1].set()
    engine.wait_for("document.images[0].src.startsWith('http')")
    site.asked.clear()
    run(engine, "document.body.append(copy)")
    time.sleep(2)
    check("copies: an image that never completes is tried only once", len(site.asked) < 5, site.asked)


STYLES_IN_CHROMIUM = [
    applied_rules, late_sheets, plain_rules, shorthands, style_rules, removed_rules, style_attributes, copies,
]
