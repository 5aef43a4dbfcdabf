import PureWebP

extension WebP {
  /// The script that replaces the WebP images of a page, including images that are added later.
  ///
  /// It replaces the images of `img` (`src`, `srcset`), `picture`, `input`, `video`, `object`, `embed`, `iframe`, SVG's
  /// `image`, images that scripts make with `new Image()`, style sheets and `style` attributes, also in shadow trees. Each
  /// image is requested once. As soon as its size is known, a placeholder of that size is shown, so that the layout does
  /// not change later; the image then fades in. An image that cannot be loaded stays as it is, and only then the page gets
  /// the `error` event of the original.
  ///
  /// Not replaced are favicons, adopted style sheets, the pages in frames if the script does not run in these, and shadow
  /// trees and images that were created before `start`.
  ///
  /// The page's Content-Security-Policy must allow the placeholders and PNGs: `data:` among the sources of `img-src`, and
  /// of `frame-src` and `object-src` for these elements. An `img` that may not show its PNG gets its original back; other
  /// elements do not.
  ///
  /// The app that runs the script defines how the page gets its PNGs:
  ///
  /// ```js
  /// PureWebP.start({
  ///   // Resolves to the URL to use. May call size(width, height) before that.
  ///   load: (url, size) => Promise.resolve(url + '.png'),
  ///   // In milliseconds; 0: without fading.
  ///   fade: 250,
  /// })
  /// await PureWebP.idle()  // all images that were known are replaced
  /// ```
  ///
  /// In a WKWebView, `WebPScriptBridge` does so.
  public enum PageScript {
    /// Defines `window.PureWebP`, and does nothing else.
    public static let source = #"""
      ;(() => {  // the script before it may lack its semicolon
        'use strict'  // in the JavaScript of Safari 12 and Chromium 69
        if (window.PureWebP) return

        \#(references)

        // MARK: Loads

        let options = { fade: 250, load: url => Promise.reject(url) }
        // URL → { placeholder: promise, source: promise }, of URLs to use, or of null if loading failed.
        const loads = new Map()
        const missing = { placeholder: null, source: null }
        const pending = new Set()
        const settled = promises => Promise.all(promises.map(promise => Promise.resolve(promise).catch(() => {})))
        const track = promise => {
          pending.add(promise)
          const done = () => pending.delete(promise)
          promise.then(done, done)
          return promise
        }

        const sized = (width, height) =>
          `data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='${width}'%20height='${height}'/%3E`

        function load(url) {
          if (loads.has(url)) return loads.get(url)
          const known = {}
          let tell
          known.placeholder = new Promise(resolve => { tell = resolve })
          const size = (width, height) => tell(sized(width, height))
          known.source = track(Promise.resolve().then(() => options.load(url, size)).catch(() => {
            tell(null)
            known.placeholder = null  // also if its size is known: later requests need not wait
            return null
          }))
          loads.set(url, known)
          return known
        }

        // Joins the parts of a text, with the source or placeholder (`kind`) of each WebP that has one. If all of them are
        // needed and one has none, the text stays as it was.
        const filled = async (parts, kind, needsAll) => {
          const urls = await Promise.all(parts.map(part => part.url && load(part.url)[kind]))
          const stays = needsAll && urls.includes(null)
          return parts.map((part, index) => {
            if (!part.url) return part
            return stays || urls[index] === null ? part.text : part.with(urls[index])
          }).join('')
        }

        \#(images)

        // MARK: Other attributes

        async function replaceAttribute(element, name) {
          const parts = attributeParts(element, name)
          const text = element.getAttribute(name)
          if (!parts) return
          const value = await filled(parts, 'source')
          if (value === text || element.getAttribute(name) !== text) return
          if (element.type === 'image/webp') element.type = 'image/png'
          if (name === 'poster') element.removeAttribute(name)  // WebKit ignores the first poster after one that failed
          element.setAttribute(name, value)
        }

        // MARK: Styles

        // With several layers, `background-image` may read back with the keyword `initial`, which cannot be set: only the
        // shorthand can. A property that another change has replaced is left out.
        const shorthands = ['background', 'border-image', 'list-style', 'mask', '-webkit-mask']

        async function replaceInStyle(style, base) {
          const changes = [...style].concat(shorthands).map(async name => {
            const text = style.getPropertyValue(name)
            const parts = partsOfCSS(text, base)
            if (!parts) return
            const value = await filled(parts, 'source')
            if (value === text || style.getPropertyValue(name) !== text) return
            style.setProperty(name, value, style.getPropertyPriority(name))
          })
          await settled(changes)
        }

        async function replaceInRules(container, base) {
          let rules
          try { rules = [...container.cssRules] } catch { return }  // of another origin
          await settled(rules.flatMap(rule => [
            rule.style && replaceInStyle(rule.style, base),
            rule.cssRules && replaceInRules(rule, base),
            rule.styleSheet && replaceInRules(rule.styleSheet, rule.styleSheet.href || base),
          ]))
        }

        const replaceInSheet = sheet => track(replaceInRules(sheet, sheet.href || document.baseURI))

        \#(page)

        window.PureWebP = {
          start(given) {
            options = Object.assign(options, given)
            wrap()
            observe(document)
          },
          // Resolves when nothing is left to be done, until the page changes again.
          async idle() {
            do {
              await settled([...pending])
              await new Promise(resolve => setTimeout(resolve))
            } while (pending.size)
          },
        }
      })()
      """#
  }
}
