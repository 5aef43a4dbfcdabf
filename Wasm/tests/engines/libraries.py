"""Proves that the images of common libraries are shown, and that the libraries hear the same as from a browser with WebP.
Expected values: what each library reports in the same browser with WebP."""
import importlib.metadata
import json
import pathlib
import time

from features import holds, open_page
from website import Site

DEBIAN = pathlib.Path("/usr/share")
# The files of each library: a path below /usr/share, or a package of PyPI and the end of a path in it.
FILES = {
    "three": ["javascript/three/three.min.js"],
    "react": ["nodejs/react/umd/react.production.min.js", "nodejs/react-dom/umd/react-dom.production.min.js"],
    "htmx": [("django-htmx", "/htmx-2.min.js")],
    "lazysizes": [("collective.lazysizes", ".js")],
    "swiper": ["nodejs/react/umd/react.production.min.js", "nodejs/react-dom/umd/react-dom.production.min.js",
               ("dash-swiper", "/dash_swiper.min.js")],
    "photoswipe": [],
}
MODULES = {"photoswipe": ("sigal", "/photoswipe.esm.js")}
# Each script calls `report` with what the library reports, until it has been called as often as in a browser with WebP.
SCRIPTS = {
    "three": """for (const path of [photo, none]) {
        new THREE.TextureLoader().load(path, ({ image }) => report(path, image.width), undefined, () => report(path, "error"));
      }""",
    "react": """const { createElement, useState } = React;
      function Images() {
        const [path, show] = useState(photo);
        const hear = ({ type, target }) => {
          report(path, type, target.naturalWidth);
          show({ [photo]: icon, [icon]: none, [none]: none }[path]);
        };
        return createElement("p", {}, createElement("img", { src: path, onLoad: hear, onError: hear }));
      }
      ReactDOM.render(createElement(Images), document.querySelector("main"));""",
    "htmx": """const main = document.querySelector("main");
      main.innerHTML = `<button hx-get="/fragment" hx-target="main">.</button>`;
      document.addEventListener("load", ({ target }) => target.id && report("load", target.id, target.naturalWidth), true);
      document.addEventListener("error", ({ target }) => target.id && report("error", target.id), true);
      htmx.process(main);
      main.firstChild.click();""",
    "lazysizes": """document.addEventListener("lazyloaded", ({ target }) => setTimeout(() => report(target.id, target.className, target.naturalWidth), 500));
      document.querySelector("main").innerHTML = `<img id=src class=lazyload data-src=${photo}>
        <img id=set class=lazyload data-sizes=auto style="width: 300px" data-srcset="${icon} 64w, ${photo}?set 320w">
        <img id=none class=lazyload data-src=${none}>`;""",
    "swiper": """const slides = [photo, icon, photo + "?third"].map(src => ({ src, alt: src }));
      ReactDOM.render(React.createElement(dash_swiper.DashCarousel, { slides, id: "swiper", setProps() {} }), document.querySelector("main"));
      const wait = setInterval(() => {
        const images = Array.from(document.images);
        if (images.length < 3 || !images.every(image => image.complete && image.naturalWidth)) return;
        clearInterval(wait);
        images.forEach(image => report(image.alt, image.naturalWidth));
      }, 50);""",
    "photoswipe": """import("/module.js").then(({ default: PhotoSwipe }) => {
        const dataSource = [photo, icon, none].map(src => ({ src, width: 320, height: 240 }));
        const gallery = new PhotoSwipe({ dataSource, index: 0, showHideAnimationType: "none" });
        gallery.on("loadComplete", ({ content, isError }) => {
          setTimeout(() => report(content.data.src, !!isError, content.element.naturalWidth || 0, content.state), 500);
        });
        gallery.init();
      });""",
}


def find(file):
    if isinstance(file, str):
        return (DEBIAN / file).read_bytes()
    package, end = file
    distribution = importlib.metadata.distribution(package)
    return next(path for path in distribution.files if str(path).endswith(end)).locate().read_bytes()


def libraries(engine, check, name):
    """Each library shows an image, another one, and one that does not exist, where it can."""
    for library, script in SCRIPTS.items():
        reported = []
        for mode in ["", "polyfill"]:
            site = Site(mode, hides=bool(mode))
            for number, file in enumerate(FILES[library]):
                site.files[f"/{number}.js"] = ("text/javascript", find(file))
            if library in MODULES:
                site.files["/module.js"] = ("text/javascript", find(MODULES[library]))
            site.files["/fragment"] = ("text/html", b"<img id=one src=/images/photo-q75.webp><img id=two src=/images/none.webp>")
            open_page(engine, site, "<main></main>")
            engine.evaluate("""(window.PropTypes = new Proxy(() => PropTypes, { get: () => PropTypes }), window.reported = [], Object.assign(window, {
                photo: "/images/photo-q75.webp", icon: "/images/icon-lossless.webp", none: "/images/none.webp",
                report: (...values) => reported.push(values.join(" ")),
              }), 0)""")
            for number in range(len(FILES[library])):
                engine.evaluate(f"""new Promise(done => document.head.appendChild(Object.assign(document.createElement("script"),
                    {{ src: "/{number}.js", onload: done, onerror: done }}))).then(() => 0)""")
            try:
                engine.evaluate(f"(() => {{ {script} }})()")
            except RuntimeError as error:  # the library does not support this browser
                if mode:
                    raise
                print(f"skipped  {name}: {library}: {error}"[:100])
                break
            holds(engine, f"reported.length >= {len(reported[0]) if reported else 2}", 10)
            time.sleep(1)
            reported.append(sorted(set(engine.evaluate("reported"))))  # lazysizes repeats itself
        else:
            check(f"{library}: it reports the same as with WebP", reported[0] == reported[1] and len(reported[0]) > 1, json.dumps(reported))


LIBRARIES = [libraries]
