import PureWebP

extension WebP {
  /// The script that replaces a page's WebP images within the page, also those that are added later.
  ///
  /// It looks for them in `img` (`src`, `srcset`), `picture`, `input`, `video`, SVG's `image`, and in style sheets and
  /// `style` attributes. Each is asked for once; as soon as its size is known, a placeholder of that size stands where it
  /// will be, so that nothing moves later; when it is there, it fades in.
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
  /// In a WKWebView, ``WebPScriptBridge`` does so.
  public enum PageScript {
    /// Defines `window.PureWebP`, and does nothing else.
    public static let source = #"""
      ;(() => {  // whatever script is put before it
        'use strict'
        if (window.PureWebP) return

        const isWebP = url => /^data:image\/webp[;,]/i.test(url) || /\.webp$/i.test(url.split(/[?#]/)[0])
        const resolved = (url, base) => { try { return new URL(url, base).href } catch { return null } }

        let options = { fade: 250, load: url => Promise.reject(url) }
        const loads = new Map()  // URL → { source: promise, size: promise }
        const pending = new Set()
        const track = promise => {
          pending.add(promise)
          const done = () => pending.delete(promise)
          promise.then(done, done)
          return promise
        }

        function load(url) {
          if (!loads.has(url)) {
            let tell
            const size = new Promise(resolve => { tell = (width, height) => resolve([width, height]) })
            const source = track(Promise.resolve().then(() => options.load(url, tell)))
            source.catch(() => {})  // whoever waits for it gets to know
            loads.set(url, { source, size })
          }
          return loads.get(url)
        }

        // What takes the place of the URLs in a text. `parts` are the text's pieces, URLs of WebPs as { url }.
        const sources = parts => Promise.all(parts.map(part => part.url ? load(part.url).source : part))

        function partsOfSrcset(text, base) {
          const parts = []
          const name = /[^\s,]\S*/g
          const descriptors = /(?:[^,(]+|\([^)]*\)?)*/y  // up to a comma that is in no parentheses
          let end = 0
          for (let match; match = name.exec(text);) {
            let after = name.lastIndex
            while (text[after - 1] === ',') after--
            const url = resolved(text.slice(match.index, after), base)
            if (url && isWebP(url)) {
              parts.push(text.slice(end, match.index), { url })
              end = after
            }
            if (after < name.lastIndex) continue  // a comma right behind the URL ends the candidate
            descriptors.lastIndex = after
            descriptors.test(text)
            name.lastIndex = descriptors.lastIndex
          }
          return parts.length ? [...parts, text.slice(end)] : null
        }

        function partsOfCSS(text, base) {
          if (!/\.webp|image\/webp/i.test(text)) return null
          const parts = []
          const reference =
            /url\(\s*(?:(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s"'()\\]|\\.)+))\s*)?\)/gi
          // In an image-set, an image's type comes behind it, up to the next comma.
          const textFrom = (start, end) => text.slice(start, end)
            .replace(/^([^,]*?)type\(\s*["']image\/webp["']\s*\)/i, start ? '$1type("image/png")' : '$&')
          let end = 0
          for (const match of text.matchAll(reference)) {
            const name = (match[1] ?? match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1')
            const url = resolved(name, base)
            if (!url || !isWebP(url)) continue
            parts.push(textFrom(end, match.index), 'url("', { url }, '")')
            end = match.index + match[0].length
          }
          return parts.length ? [...parts, textFrom(end)] : null
        }

        // MARK: Images

        const placeholder = ([width, height]) =>
          `data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='${width}'%20height='${height}'/%3E`

        function attributeParts(element, name, parse) {
          const text = element.getAttribute(name)
          if (!text) return null
          if (parse) return parse(text, document.baseURI)
          const url = resolved(text, document.baseURI)
          return url && isWebP(url) ? [{ url }] : null
        }

        // All that decides what an img shows: its own attributes and those of the sources beside it.
        function placesOf(image) {
          const elements = image.parentElement?.localName === 'picture'
            ? [...image.parentElement.querySelectorAll('source'), image] : [image]
          return elements.flatMap(element => [['src', null], ['srcset', partsOfSrcset]].flatMap(([name, parse]) => {
            if (name === 'src' && element.localName === 'source') return []
            const parts = attributeParts(element, name, parse)
            return parts ? [{ element, name, parts, text: element.getAttribute(name) }] : []
          }))
        }

        const busy = new WeakSet()

        async function replaceImage(image) {
          if (busy.has(image)) return
          const places = placesOf(image)
          if (!places.length) return
          busy.add(image)
          const originals = places.map(place => place.text)
          // The page may change its mind meanwhile; then the image is looked at anew.
          const isUnchanged = () => places.every(place => place.element.getAttribute(place.name) === place.text)
          const put = texts => places.forEach((place, index) => {
            if (place.text === texts[index]) return
            place.text = texts[index]
            place.element.setAttribute(place.name, place.text)
            if (place.element.localName === 'source' && place.element.type === 'image/webp') {
              place.element.type = 'image/png'
            }
          })
          const replaced = by => Promise.all(places.map(async place =>
            (await Promise.all(place.parts.map(part => part.url ? by(load(part.url)) : part))).join('')))

          let isDone = false
          replaced(({ size }) => size.then(placeholder)).then(texts => { if (!isDone && isUnchanged()) put(texts) })
          try {
            const texts = await replaced(({ source }) => source)
            isDone = true
            if (!isUnchanged()) return
            const fades = options.fade && !matchMedia('(prefers-reduced-motion: reduce)').matches
            if (fades) image.style.opacity = 0
            put(texts)
            try { await image.decode() } catch {}
            if (fades) await appear(image)
          } catch {
            isDone = true
            if (isUnchanged()) put(originals)
          } finally {
            busy.delete(image)
            if (!isUnchanged()) track(replaceImage(image))
          }
        }

        async function appear(image) {
          image.style.transition = `opacity ${options.fade}ms`
          image.getBoundingClientRect()  // so that the transition starts from transparent
          image.style.opacity = ''
          const time = factor => new Promise(resolve => setTimeout(resolve, options.fade * factor))
          const running = image.getAnimations?.() ?? []
          await (running.length ? Promise.race([Promise.allSettled(running.map(one => one.finished)), time(3)]) : time(1))
          image.style.transition = ''
          if (!image.getAttribute('style')) image.removeAttribute('style')
        }

        async function replaceAttribute(element, name) {
          const parts = attributeParts(element, name)
          const text = element.getAttribute(name)
          if (!parts) return
          const value = (await sources(parts)).join('')
          if (element.getAttribute(name) === text) element.setAttribute(name, value)
        }

        // MARK: Styles

        async function replaceInStyle(style, base) {
          const changes = [...style].map(async name => {
            const text = style.getPropertyValue(name)
            const parts = partsOfCSS(text, base)
            if (!parts) return
            const value = (await sources(parts)).join('')
            if (style.getPropertyValue(name) === text) style.setProperty(name, value, style.getPropertyPriority(name))
          })
          await Promise.allSettled(changes)
        }

        async function replaceInRules(container, base) {
          let rules
          try { rules = [...container.cssRules] } catch { return }  // another origin's, which no script may read
          await Promise.allSettled(rules.flatMap(rule => [
            rule.style && replaceInStyle(rule.style, base),
            rule.cssRules && replaceInRules(rule, base),
            rule.styleSheet && replaceInRules(rule.styleSheet, rule.styleSheet.href ?? base),
          ]))
        }

        const replaceInSheet = sheet => track(replaceInRules(sheet, sheet.href ?? document.baseURI))

        // MARK: The page

        const attributes = { input: ['src'], video: ['poster'], image: ['href', 'xlink:href'], embed: ['src'] }

        function visit(element) {
          const name = element.localName
          if (name === 'img') track(replaceImage(element))
          if (name === 'source') element.parentElement?.querySelectorAll('img').forEach(visit)
          for (const attribute of attributes[name] ?? []) track(replaceAttribute(element, attribute)).catch(() => {})
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
              const style = record.target.closest?.('style') ?? record.target.parentElement?.closest('style')
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

    /// Starts the script with PNGs from a message handler of WebKit's, whose answers are calls of `PureWebP.answer`.
    static func bridge(_ name: String, fadeMilliseconds: Int) -> String {
      """
      ;(() => {
        const waiting = new Map()
        let last = 0
        // Answers for the page before this one may still come. (In a page by http, there is no randomUUID.)
        const page = crypto.getRandomValues(new Uint32Array(4)).join('-')
        PureWebP.answer = (asker, id, kind, ...values) => {
          const request = waiting.get(id)
          if (asker !== page || !request) return
          if (kind === 'size') return request.size(...values)
          waiting.delete(id)
          request[kind](...values)
        }
        PureWebP.start({
          fade: \(fadeMilliseconds),
          load: (url, size) => new Promise((source, failure) => {
            waiting.set(++last, { size, source, failure })
            webkit.messageHandlers.\(name).postMessage({ page, id: last, url })
          }),
        })
      })()
      """
    }
  }
}
