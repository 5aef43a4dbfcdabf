"""Proves that the polyfill converts images in style sheets, in style attributes and in copied elements.
Expected values: Chromium's computed styles and rendering."""
from server import asked, gate
from support import ALL_CONVERTED, PICTURES, SHOW, START, check, empty_page, wait_for


def style_sheets(browser, origin):
    """Rules that begin to apply without a notification; and images that do not exist."""
    page = empty_page(browser, origin, viewport={"width": 400, "height": 400})
    page.evaluate("""() => {
        document.head.innerHTML += `<style>
          [data-theme=dark] #theme { background: url(/small/photo-q75.webp) }
          #c:checked + #state { background: url(/small/photo-q75.webp) }
          #within:focus-within { background: url(/small/photo-q75.webp) }
          details[open] #open { background: url(/small/photo-q75.webp) }
          .x\\\\:y #escaped { background: url(/small/photo-q75.webp) }
          #named { background: url(/small/photo-q75.webp) }
          #nested { &.lit { background: url(/small/photo-q75.webp) } & .never { background: url(/small/never.webp) } }
          @media (min-width: 500px) { #wide { background: url(/small/photo-q98.webp) } }
          @media print { #print { background: url(/small/icon-lossy.webp) } }
          #none { background: url(/small/none.webp) }
        </style>`;
        document.body.innerHTML = `<p id=theme><input type=checkbox id=c></p><p id=within><a href=x>x</a></p>
          <details><summary>x</summary><p id=open></p></details><p id=escaped><p id=wide><p id=print><p id=none><p style="background: url(/small/nowhere.webp)">
          <p id=nested class=lit>`;
        document.querySelector('#c').insertAdjacentHTML('afterend', '<p id=state>');
      }""")
    asked.clear()
    page.evaluate(START, {})
    background = "getComputedStyle(document.querySelector('#%s')).backgroundImage.slice(5, 9)"
    page.wait_for_function("Array.from(document.styleSheets[0].cssRules).some(r => r.cssText.includes('blob:'))")
    page.evaluate("""() => {
        document.documentElement.dataset.theme = 'dark';
        document.querySelector('#c').checked = true;
        document.querySelector('a').focus();
        document.querySelector('details').open = true;
      }""")
    page.wait_for_timeout(500)
    found = [page.evaluate(background % name) for name in ["theme", "state", "within", "open", "nested"]]
    check("style sheets: images of rules that begin to apply without a notification", set(found) == {"blob"}, found)
    page.evaluate("document.body.className = 'x:y'")
    page.wait_for_function(background % "escaped" + " === 'blob'")
    page.evaluate("document.querySelector('#escaped').id = 'named'")
    page.wait_for_timeout(500)
    found = page.evaluate(background % "named")
    check("style sheets: the image of a rule that applies after a change of an id", found == "blob", found)
    for _ in range(20):
        page.evaluate("""new Promise(done => {
            document.body.classList.toggle('z');
            setTimeout(done, 60);
          })""")
    again = [name for name in asked if "none.webp" in name or "nowhere.webp" in name]
    # Each is requested by the browser and by the polyfill.
    check("style sheets: missing images are requested once", len(again) <= 4, again)
    reads = page.evaluate("""() => {
        const { get } = Object.getOwnPropertyDescriptor(Document.prototype, 'styleSheets');
        let reads = 0;
        Object.defineProperty(document, 'styleSheets', { get() { reads += 1; return get.call(document) } });
        const read = change => new Promise(done => {
          reads = 0;
          change();
          setTimeout(() => done(reads), 200);
        });
        const clock = document.createElement('p');
        return read(() => document.body.append(clock)).then(element =>
          read(() => { clock.textContent = '12:00' }).then(text => [element, text]));
      }""")
    check("style sheets: they are read after a new element, but not after new text", reads == [1, 0], reads)
    others = [name for name in asked if "q98" in name or "icon-" in name or "never" in name]
    check("style sheets: images for other media, or without elements, are not requested", not others, others)
    page.set_viewport_size({"width": 600, "height": 400})
    page.wait_for_function(background % "wide" + " === 'blob'")
    page.emulate_media(media="print")
    page.wait_for_function(background % "print" + " === 'blob'")
    check("style sheets: when the media change, they are requested", True)
    page.close()


def late_sheets(browser, origin):
    """Style sheets that load slowly; and one with media=print until it is loaded, so that nothing waits for it."""
    link = "<link rel=stylesheet href=/late.css "
    for what, sheet in [("imported", "<style>@import url(/late.css);</style>"), ("linked", link + ">"),
                        ("for print at first", link + "media=print onload='this.media = `all`'>")]:
        page = empty_page(browser, origin)
        routes = []
        page.route("**/late.css", lambda route: routes.append(route))
        page.evaluate(START, {})
        page.evaluate("sheet => { document.body.innerHTML = sheet + '<p>' }", sheet)
        page.wait_for_timeout(500)
        routes[0].fulfill(content_type="text/css", body="p { background: url(/small/photo-q75.webp) }")
        page.wait_for_timeout(3000)
        found = page.evaluate("getComputedStyle(document.querySelector('p')).backgroundImage")
        check(f"late style sheets: {what}", found.startswith('url("blob:'), found)
        page.close()


def plain_rules(browser, origin):
    """Rules without images are read once."""
    page = empty_page(browser, origin)
    page.evaluate("""() => {
        document.head.innerHTML += `<style>${'p { color: red }'.repeat(1000)}</style>`;
        document.body.innerHTML = '<p>';
        window.reads = 0;
        for (const type of [CSSStyleDeclaration, CSSRule, CSSStyleRule]) {
          const property = Object.getOwnPropertyDescriptor(type.prototype, 'cssText');
          if (!property) continue;
          const get = function () {
            reads += 1;
            return property.get.call(this);
          };
          Object.defineProperty(type.prototype, 'cssText', { get, configurable: true });
        }
      }""")
    page.evaluate(START, {})
    page.evaluate("document.body.className = 'x'")
    page.wait_for_timeout(500)
    found = page.evaluate("reads")
    check("plain rules: they are read once", found == 1000, found)
    page.evaluate("""() => {
        document.styleSheets[0].cssRules[500].style.background = 'url(/small/photo-q75.webp)';
        document.body.className = 'y';
      }""")
    page.wait_for_function("getComputedStyle(document.querySelector('p')).backgroundImage.startsWith('url(\"blob:')")
    check("plain rules: a rule is read again after a script has added an image", True)
    page.close()


def shorthands(browser, origin):
    """The longhands of a shorthand with var() have no text."""
    page = empty_page(browser, origin)
    page.evaluate("""() => {
        document.head.innerHTML += `<style>
          :root { --color: red; --none: ; }
          #background { background: url(/small/photo-q75.webp) var(--color) !important }
          #item { list-style: var(--none) url(/small/icon-lossy.webp); display: list-item }
          #border { border-image: url(/small/photo-q75.webp) 10 var(--none) }
          #mask { -webkit-mask: url(/small/photo-q75.webp) var(--none) }
        </style>`;
        document.body.innerHTML = `<p id=background><p id=item><p id=border><p id=mask>
          <p id=attribute style="background: url('/small/photo-q98.webp') var(--none)">`;
      }""")
    page.evaluate(START, {})
    page.wait_for_timeout(1500)
    found = page.evaluate("""Array.from(document.querySelectorAll('p'), element => {
        const style = getComputedStyle(element);
        const names = ['background-image', 'list-style-image', 'border-image-source', '-webkit-mask-image'];
        return names.some(name => style.getPropertyValue(name).startsWith('url("blob:'));
      })""")
    check("shorthands: with var() in them", found == [True] * 5, found)
    found = page.evaluate("""getComputedStyle(document.querySelector('p')).backgroundColor +
        document.styleSheets[0].cssRules[1].style.getPropertyPriority('background')""")
    check("shorthands: their other parts are unchanged", found == "rgb(255, 0, 0)important", found)
    page.close()


def style_rules(browser, origin, other):
    """Several images in one rule, of which one does not exist or is slow; and sheets of other origins."""
    page = browser.new_page()
    page.route(other + "/sheet.css", lambda route: route.fulfill(content_type="text/css", body="i { color: red }"))
    page.goto(origin + "/pages/empty.html")
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate("""other => {
        document.head.innerHTML += `<style>
          @import url(${other}/sheet.css);
          #imported { background: url(/small/photo-q75.webp) }
          #none { background: url(/small/photo-q75.webp), url(/small/none.webp), url(/known) }
          #late { background: url(/small/icon-lossless.webp), url(/slow/photo-q98.webp) }
        </style>`;
        document.body.innerHTML = '<i>A</i><p id=imported><p id=none><p id=late>';
      }""", other)
    page.wait_for_function("getComputedStyle(document.querySelector('i')).color === 'rgb(255, 0, 0)'")
    page.evaluate(START, {"cacheBytes": 1})
    urls = "getComputedStyle(document.querySelector('#%s')).backgroundImage.split(', ').map(url => url.slice(5, -2))"
    page.wait_for_function(urls % "imported" + "[0].startsWith('blob:')")
    check("style sheets: images next to an import of another origin", True)
    page.wait_for_function(urls % "none" + "[0].startsWith('blob:')")
    found = page.evaluate(urls % "none")[1:]
    check("style sheets: images next to a missing image", found == [origin + "/small/none.webp", origin + "/known"], found)
    for name in ["photo-alpha-q75", "photo-lossless"]:  # these would evict others from the cache
        page.evaluate(SHOW, f"/small/{name}.webp")
        page.wait_for_function(ALL_CONVERTED)
        page.wait_for_timeout(1000)
    gate.set()
    page.wait_for_function(urls % "late" + ".every(url => url.startsWith('blob:'))")
    found = page.evaluate(f"Promise.all({urls % 'late'}.map(url => fetch(url).then(() => true, () => false)))")
    check("style sheets: images that wait for others are retained", found == [True, True], found)
    gate.clear()
    page.close()


def rules_gone(browser, origin):
    """Images of rules are retained as long as the rules exist, also while they are for other media."""
    page = empty_page(browser, origin, viewport={"width": 600, "height": 400})
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate("""() => {
        document.head.innerHTML += `
          <style>@media (min-width: 500px) { #wide { background: url(/small/photo-q75.webp) } }</style>
          <style id=sheet>#gone { background: url(/small/icon-lossless.webp) }</style>`;
        document.body.innerHTML = '<p id=wide><p id=gone>';
      }""")
    page.evaluate(START, {"cacheBytes": 1})
    background = "getComputedStyle(document.querySelector('#%s')).backgroundImage.slice(5, -2)"
    for name in ["wide", "gone"]:
        page.wait_for_function(f"window.{name} = {background % name}, {name}.startsWith('blob:')")
    page.set_viewport_size({"width": 400, "height": 400})
    page.evaluate("document.querySelector('#sheet').remove()")
    for name in ["photo-q98", "photo-alpha-q75", "photo-lossless"]:
        page.evaluate(SHOW, f"/small/{name}.webp")
        page.wait_for_function(ALL_CONVERTED)
        page.wait_for_timeout(500)
    found = page.evaluate("Promise.all([wide, gone].map(url => fetch(url).then(() => true, () => false)))")
    check("rules: their images are retained as long as the rules", found == [True, False], found)
    page.close()


def style_attributes(browser, origin):
    """Images of style attributes are retained while their elements are in the document, and return with them."""
    page = empty_page(browser, origin)
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, Math.min(time, 300)) }")
    page.evaluate(START, {"cacheBytes": 1})
    page.evaluate("""() => {
        document.head.insertAdjacentHTML('beforeend', '<link rel=icon href=/small/icon-lossy.webp>');
        window.p = document.createElement('p');
        p.style.background = 'url(/small/photo-q75.webp), url(/small/icon-lossless.webp)';
        document.body.appendChild(p);
      }""")
    urls = "p.style.backgroundImage.split(', ').map(url => url.slice(5, -2))"
    there = f"Promise.all({urls}.map(url => fetch(url).then(r => url.startsWith('blob:'), () => false)))"
    shown = there + ".then(all => all.every(Boolean))"
    wait_for(page, shown)
    for name in ["photo-q98", "photo-alpha-q75"]:
        page.evaluate(SHOW, f"/small/{name}.webp")
        page.wait_for_function(ALL_CONVERTED)
    page.wait_for_timeout(1000)
    check("style attributes: their images are retained", page.evaluate(shown))
    found = page.evaluate("""fetch(document.querySelector('link[rel=icon]').href).then(
        answer => answer.blob()).then(blob => blob.type, String)""")
    check("icons: they are retained", found == "image/png", found)
    page.evaluate("p.remove()")
    page.evaluate(SHOW, "/small/photo-lossless.webp")
    wait_for(page, there + ".then(all => !all.some(Boolean))")
    check("style attributes: images of removed elements are released", True)
    page.evaluate("document.body.appendChild(p); 0")
    wait_for(page, shown)
    check("style attributes: the images return with the elements", True)
    page.close()


def copies(browser, origin):
    """Copies of images show the complete image, also if it was incomplete or its object URL was released."""
    page = empty_page(browser, origin)
    # Object URLs are released sooner than after a second.
    page.evaluate("() => { const wait = setTimeout; window.setTimeout = (f, time) => wait(f, time === 1000 ? 300 : time) }")
    page.evaluate(START, {"interval": 0, "cacheBytes": 1})
    copy = "document.body.appendChild(document.images[0].cloneNode())"
    gone = "url => fetch(url).then(() => false, () => true)"
    page.evaluate(SHOW, "/slow/photo-q98.webp")
    page.wait_for_function(ALL_CONVERTED)
    part = page.evaluate("document.images[0].src")
    page.evaluate(f"window.early = {copy}; 0")
    gate.set()
    wait_for(page, gone, part)
    page.wait_for_function(f"early.src === document.images[0].src && {ALL_CONVERTED}")
    check("copies: of an unfinished image", True)
    gate.clear()
    whole = page.evaluate("document.images[0].src")
    page.evaluate("window.late = document.images[0].cloneNode(); 0")
    page.evaluate(SHOW, "/small/photo-q75.webp")
    wait_for(page, gone, whole)
    page.evaluate("document.body.innerHTML += '<img srcset=\"' + document.images[0].src + ' 2x\">'")
    gate.set()
    page.wait_for_function(f"{PICTURES}.length === 4 && {ALL_CONVERTED}")
    check("copies: of a released image", page.evaluate("document.images[3].naturalWidth") == 160)
    gate.clear()
    page.evaluate("document.body.textContent = ''")
    page.evaluate(SHOW, "/slow/photo-q98.webp?cut")
    page.wait_for_function(ALL_CONVERTED)
    page.evaluate("window.cut = document.images[0].cloneNode(); 0")
    gate.set()
    page.wait_for_function("document.images[0].src.startsWith('http')")
    asked.clear()
    page.evaluate("document.body.appendChild(cut); 0")
    page.wait_for_timeout(2000)
    check("copies: an image that never completes is tried only once", len(asked) < 5, len(asked))
    gate.clear()
    page.close()
