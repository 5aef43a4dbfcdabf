import PureWebP

extension WebP {
  /// The script that replaces the WebP images of a page, including images that are added later.
  ///
  /// The script replaces images in `img` (`src`, `srcset`), `picture`, `input`, `video`, `object`, `embed`, `iframe`,
  /// SVG's `image`, `new Image()`, style sheets and `style` attributes, also in shadow trees. It requests each image
  /// once. As soon as the size of an `img` is known, the script shows a placeholder of that size, so that the layout
  /// does not change later. The image then fades in. If an image cannot be loaded, its reference is kept. Only then
  /// does the page get the image's `error` event.
  ///
  /// The script does not replace favicons, images in adopted style sheets, and images in frames in which it does not
  /// run. It also does not replace images of shadow trees and of `new Image()` that were created before `start`.
  ///
  /// The page's Content-Security-Policy must allow `data:` in `img-src`, and also in `frame-src` and `object-src` if
  /// the page uses these elements. If the policy forbids the PNG of an `img`, the script restores the original
  /// reference. It does not do so in other elements.
  ///
  /// The app that runs the script defines how the page gets its PNGs:
  ///
  /// ```js
  /// PureWebP.start({
  ///   // Resolves to the URL to use. May call size(width, height) before that.
  ///   load: (url, size) => Promise.resolve(url + '.png'),
  ///   // The duration of the fade-in in milliseconds, or 0 for none.
  ///   fade: 250,
  /// })
  /// await PureWebP.idle()  // waits until all known images are replaced
  /// ```
  ///
  /// In a WKWebView, `WebPScriptBridge` starts the script and provides the PNGs.
  public enum PageScript {
    /// The JavaScript source, which defines `window.PureWebP`. Nothing is replaced until `PureWebP.start` is called.
    public static let source = #"""
      ;(() => {  // the semicolon ends a preceding script that lacks one
        // Only language features of Safari 12 and Chromium 69 are used.
        'use strict'
        if (window.PureWebP) return

        \#(references)

        // MARK: Loads

        let options = { fade: 250, load: url => Promise.reject(url) }
        // URL → { placeholder: promise, source: promise }. The promises resolve to the URL of the placeholder and of
        // the PNG, or to null if loading failed.
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
            known.placeholder = null  // even if the size is known, because no image will follow
            return null
          }))
          loads.set(url, known)
          return known
        }

        // Joins the parts of a text. Each WebP is replaced by its PNG (`kind` is `source`) or placeholder, if it is
        // available. If `needsAll` is true and one is not available, nothing is replaced.
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

        // Shorthand properties are replaced too. If a background has several layers, browsers may report the value of
        // `background-image` with the keyword `initial`, which cannot be set; then only the shorthand can be set.
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
          try { rules = [...container.cssRules] } catch { return }  // a sheet of another origin
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
          // Resolves when all images that are known so far are processed.
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
