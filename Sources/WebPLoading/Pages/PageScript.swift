import PureWebP

extension WebP {
  /// The script that replaces a page's WebP images within the page, also those that are added later.
  ///
  /// It looks for them in `img` (`src`, `srcset`), `picture`, `input`, `video`, SVG's `image`, and in style sheets and
  /// `style` attributes. Each is asked for once; as soon as its size is known, a placeholder of that size stands where it
  /// will be, so that nothing moves later; when it is there, it fades in. What cannot be had stays as it is.
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
        // URL → { placeholder: promise, source: promise }, of URLs to use; of null, if they cannot be had.
        const loads = new Map()
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

        // A text with a `kind` of URL, source or placeholder, for each of its WebPs, as far as they can be had. `parts` are
        // the text's pieces; where it names a WebP, they are { url, text, with: gives the text for another URL }.
        const filled = async (parts, kind) => (await Promise.all(parts.map(async part => {
          if (!part.url) return part
          const url = await load(part.url)[kind]
          return url === null ? part.text : part.with(url)
        }))).join('')

        function partsOfSrcset(text, base) {
          const parts = []
          const names = /[^\s,]\S*/g
          const descriptors = /(?:[^,(]+|\([^)]*\)?)*/y  // up to a comma that is in no parentheses
          let end = 0
          for (let match; match = names.exec(text);) {
            let after = names.lastIndex
            while (text[after - 1] === ',') after--
            const name = text.slice(match.index, after)
            const url = resolved(name, base)
            if (url && isWebP(url)) {
              parts.push(text.slice(end, match.index), { url, text: name, with: url => url })
              end = after
            }
            if (after < names.lastIndex) continue  // a comma right behind the URL ends the candidate
            descriptors.lastIndex = after
            descriptors.test(text)
            names.lastIndex = descriptors.lastIndex
          }
          return parts.length ? [...parts, text.slice(end)] : null
        }

        function partsOfCSS(text, base) {
          if (!/\.webp|image\/webp/i.test(text)) return null
          const parts = []
          const reference =
            /url\(\s*(?:(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s"'()\\]|\\.)+))\s*)?\)/gi
          let end = 0
          // In an image-set, an image's type comes behind it, up to the next comma.
          function add(after) {
            const last = parts[parts.length - 1]
            const type = last && /^([^,]*?)type\(\s*["']image\/webp["']\s*\)/i.exec(text.slice(end, after))
            if (type) {
              end += type[0].length
              last.text += type[0]
              last.type = `${type[1]}type("image/png")`
            }
            parts.push(text.slice(end, after))
            end = after
          }
          for (const match of text.matchAll(reference)) {
            const name = (match[1] ?? match[2] ?? match[3] ?? '').replace(/\\(.)/g, '$1')
            const url = resolved(name, base)
            if (!url || !isWebP(url)) continue
            add(match.index)
            const part = { url, text: match[0], type: '', with: url => `url("${url}")${part.type}` }
            parts.push(part)
            end = match.index + match[0].length
          }
          if (parts.length) add(text.length)
          return parts.length ? parts : null
        }

        // MARK: Images

        function attributeParts(element, name, parse) {
          const text = element.getAttribute(name)
          if (!text) return null
          if (parse) return parse(text, document.baseURI)
          const url = resolved(text, document.baseURI)
          return url && isWebP(url) ? [{ url, text, with: url => url }] : null
        }

        // All that decides what an img shows: its own attributes and those of the sources beside it.
        function placesOf(image) {
          const elements = image.parentElement?.localName === 'picture'
            ? [...image.parentElement.querySelectorAll('source'), image] : [image]
          return elements.flatMap(element => [['src', null], ['srcset', partsOfSrcset]].flatMap(([name, parse]) => {
            if (name === 'src' && element.localName === 'source') return []
            const parts = attributeParts(element, name, parse)
            const text = element.getAttribute(name)
            return parts ? [{ element, name, parts, text, original: text, type: element.type }] : []
          }))
        }

        const busy = new WeakSet()

        async function replaceImage(image) {
          if (busy.has(image)) return
          const places = placesOf(image)
          if (!places.length) return
          busy.add(image)
          // The page may change its mind meanwhile; then the image is looked at anew.
          const isUnchanged = () => places.every(place => place.element.getAttribute(place.name) === place.text)
          const put = texts => places.forEach((place, index) => {
            if (place.text === texts[index]) return
            place.text = texts[index]
            place.element.setAttribute(place.name, place.text)
            if (place.type === 'image/webp') {
              place.element.type = place.text === place.original ? place.type : 'image/png'
            }
          })
          const texts = kind => Promise.all(places.map(place => filled(place.parts, kind)))

          let isDone = false
          texts('placeholder').then(texts => { if (!isDone && isUnchanged()) put(texts) })
          const replaced = await texts('source')
          isDone = true
          if (isUnchanged()) {
            const isNew = places.some((place, index) => place.original !== replaced[index])
            const fades = isNew && options.fade && !matchMedia('(prefers-reduced-motion: reduce)').matches
            const fading = fades && fadingIn(image)
            put(replaced)
            try { await image.decode() } catch {}
            if (fading) await run(fading)
          }
          busy.delete(image)
          if (!isUnchanged()) track(replaceImage(image))
        }

        // An animation leaves the image's own style alone. Until it runs, the image is transparent.
        function fadingIn(image) {
          const fading = image.animate({ opacity: [0, getComputedStyle(image).opacity] }, options.fade)
          fading.pause()
          return fading
        }

        async function run(fading) {
          fading.play()
          await Promise.race([
            Promise.allSettled([fading.finished]), new Promise(resolve => setTimeout(resolve, options.fade * 3)),
          ])
          fading.cancel()  // where nothing is shown, it may not have come to an end
        }

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
          for (const attribute of attributes[name] ?? []) track(replaceAttribute(element, attribute))
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
