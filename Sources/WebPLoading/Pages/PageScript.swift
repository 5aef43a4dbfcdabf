import PureWebP

extension WebP {
  /// The script that replaces a page's WebP images within the page, also those that are added later.
  ///
  /// It looks for them in `img` (`src`, `srcset`), `picture`, `input`, `video`, SVG's `image`, and in style sheets and
  /// `style` attributes. Each is asked for once; as soon as its size is known, a placeholder of that size stands where it
  /// will be, so that nothing moves later; when it is there, it fades in. What cannot be had stays as it is.
  ///
  /// A page's Content-Security-Policy must allow `data:` among its `img-src`, for the placeholders, and what its PNGs
  /// come by. An `img` that may not show them gets back what it had; what else shows images does not.
  ///
  /// How the page gets its PNGs is up to who runs the script:
  ///
  /// ```js
  /// PureWebP.start({
  ///   // Resolves to the URL to use. May call size(width, height) before that.
  ///   load: (url, size) => Promise.resolve(url + '.png'),
  ///   // In milliseconds; 0: without fading.
  ///   fade: 250,
  /// })
  /// await PureWebP.idle()  // all images that were known are in place
  /// ```
  ///
  /// In a WKWebView, `WebPScriptBridge` does so.
  public enum PageScript {
    /// Defines `window.PureWebP`, and does nothing else.
    public static let source = #"""
      ;(() => {  // whatever script is put before it
        'use strict'  // and in the JavaScript of Safari 13.0, which has neither `?.` nor `??`
        if (window.PureWebP) return

        \#(references)

        // MARK: Loads

        let options = { fade: 250, load: url => Promise.reject(url) }
        // URL → { placeholder: promise, source: promise }, of URLs to use; of null, if they cannot be had.
        const loads = new Map()
        const missing = { placeholder: null, source: null }
        const pending = new Set()
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
            known.placeholder = null  // also of those whose size was told: whoever comes now need not wait
            return null
          }))
          loads.set(url, known)
          return known
        }

        // The text that was cut into parts, with a source or placeholder (`kind`) for each WebP, as far as it can be had.
        // Or as it was, if all of them have to be had.
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
          if (value !== text && element.getAttribute(name) === text) element.setAttribute(name, value)
        }

        // MARK: Styles

        async function replaceInStyle(style, base) {
          const changes = [...style].map(async name => {
            const text = style.getPropertyValue(name)
            const parts = partsOfCSS(text, base)
            if (!parts) return
            const value = await filled(parts, 'source')
            if (value === text || style.getPropertyValue(name) !== text) return
            style.setProperty(name, value, style.getPropertyPriority(name))
          })
          await Promise.allSettled(changes)
        }

        async function replaceInRules(container, base) {
          let rules
          try { rules = [...container.cssRules] } catch { return }  // another origin's, which no script may read
          await Promise.allSettled(rules.flatMap(rule => [
            rule.style && replaceInStyle(rule.style, base),
            rule.cssRules && replaceInRules(rule, base),
            rule.styleSheet && replaceInRules(rule.styleSheet, rule.styleSheet.href || base),
          ]))
        }

        const replaceInSheet = sheet => track(replaceInRules(sheet, sheet.href || document.baseURI))

        // MARK: The page

        // Without what objects have by themselves: a page may have an element of any name, such as `constructor`.
        const attributes = {
          __proto__: null, input: ['src'], video: ['poster'], image: ['href', 'xlink:href'], embed: ['src'],
        }

        function visit(element) {
          const name = element.localName
          if (name === 'img') track(replaceImage(element))
          if (name === 'source' && element.parentElement) element.parentElement.querySelectorAll('img').forEach(visit)
          for (const attribute of attributes[name] || []) track(replaceAttribute(element, attribute))
          if (element.hasAttribute('style')) track(replaceInStyle(element.style, document.baseURI))
          if (name === 'style' && element.sheet) replaceInSheet(element.sheet)
          if (name === 'link' && element.relList.contains('stylesheet')) {
            if (element.sheet) replaceInSheet(element.sheet)
            element.addEventListener('load', () => { if (element.sheet) replaceInSheet(element.sheet) }, { once: true })
          }
        }

        function visitAll(root) {
          if (root.nodeType !== Node.ELEMENT_NODE) return
          visit(root)
          root.querySelectorAll('img, source, input, video, image, embed, style, link, [style]').forEach(visit)
        }

        function observe() {
          new MutationObserver(records => {
            for (const record of records) {
              record.addedNodes.forEach(visitAll)
              if (record.type === 'attributes') visit(record.target)
              const element = record.target.closest ? record.target : record.target.parentElement
              const style = element && element.closest('style')
              if (style) visit(style)
            }
          }).observe(document, {
            childList: true, subtree: true, characterData: true, attributes: true,
            attributeFilter: ['src', 'srcset', 'poster', 'href', 'xlink:href', 'style'],
          })
          visitAll(document.documentElement)
        }

        window.PureWebP = {
          start(given) {
            options = Object.assign(options, given)
            observe()
          },
          // Resolves when nothing is left to be done, until the page changes again.
          async idle() {
            do {
              await Promise.allSettled([...pending])
              await new Promise(resolve => setTimeout(resolve))
            } while (pending.size)
          },
        }
      })()
      """#
  }
}
