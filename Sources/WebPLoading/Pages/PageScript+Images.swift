import PureWebP

extension WebP.PageScript {
  /// The part of the script that replaces the image of an `img` element.
  static let images = #"""
      // MARK: Images

      // The sources of the image: the attributes of the `img` and of the `source` elements of its `picture`.
      function sourcesOf(image) {
        const elements = image.matches('picture > img')
          ? [...image.parentElement.querySelectorAll('source'), image] : [image]
        return elements.flatMap(element => [['src', null], ['srcset', partsOfSrcset]].flatMap(([name, parse]) => {
          if (name === 'src' && element.localName === 'source') return []
          const parts = attributeParts(element, name, parse)
          const text = element.getAttribute(name)
          // Browsers without WebP support skip a source of this type. After it became a PNG, they can select any of its
          // candidates. Therefore it is replaced only if all candidates are WebP images.
          const isTyped = element.localName === 'source' && /^image\/webp$/i.test(element.type)
          if (!parts || isTyped && parts.hasOthers) return []
          return [{ element, name, parts, text, original: text, isTyped, type: element.type }]
        }))
      }

      const busy = new WeakSet()

      async function replaceImage(image) {
        if (busy.has(image)) return
        const sources = sourcesOf(image)
        if (!sources.length) return
        busy.add(image)
        // False if the page changed the attributes during the load. The image is then processed again.
        const isUnchanged = () => sources.every(source => source.element.getAttribute(source.name) === source.text)
        const put = texts => sources.forEach((source, index) => {
          if (source.text === texts[index]) return
          source.text = texts[index]
          source.element.setAttribute(source.name, source.text)
          if (source.isTyped) source.element.type = source.text === source.original ? source.type : 'image/png'
        })
        const texts = kind => Promise.all(sources.map(source => filled(source.parts, kind, source.isTyped)))

        let isDone = false
        texts('placeholder').then(texts => { if (!isDone && isUnchanged()) put(texts) })
        const replaced = await texts('source')
        isDone = true
        if (isUnchanged()) {
          const isNew = sources.some((source, index) => source.original !== replaced[index])
          const fading = isNew && options.fade && fadingIn(image)
          put(replaced)
          // Waits until the new image can be shown. The first call of `decode` fails in Firefox, because of the
          // original image that failed before. For images outside of the document, `decode` is not called, because
          // WebKit cannot draw an image to a canvas while it decodes it.
          if (image.isConnected) try { await image.decode().catch(() => image.decode()) } catch {
            // If the page's Content-Security-Policy forbids the new image, the original is restored permanently.
            const known = sources.flatMap(source => source.parts).filter(part => part.url)
            const urls = await Promise.all(known.map(({ url }) => load(url).source))
            // If Chromium refuses an image, its `currentSrc` is the attribute's text, which may be a relative URL.
            const current = resolved(image.currentSrc, document.baseURI)
            const isOurs = urls.some(url => url !== null && resolved(url, document.baseURI) === current)
            if (isOurs && !image.naturalWidth && isUnchanged()) {
              for (const { url } of known) loads.set(url, missing)
              put(sources.map(source => source.original))
            }
          }
          if (fading) await run(fading)
        }
        busy.delete(image)
        if (!isUnchanged()) return track(replaceImage(image))
        if (sources.every(source => source.text === source.original)) release(image)
      }

      // The `error` event of a WebP is withheld until it is known that the image cannot be replaced. Otherwise, pages
      // with a fallback for errors would show it instead of the replacement.
      const held = new WeakSet()
      const released = new WeakSet()

      function hold(event) {
        const image = event.target
        if (image.localName !== 'img' || released.has(image) || !sourcesOf(image).length) return
        event.stopImmediatePropagation()
        held.add(image)
        if (!busy.has(image)) track(replaceImage(image))
      }

      function release(image) {
        if (!held.delete(image)) return
        released.add(image)
        image.dispatchEvent(new Event('error'))
        released.delete(image)
      }

      // Makes the image transparent, and returns the animation that shows it. The fade-in is an animation because it
      // does not change the image's style.
      function fadingIn(image) {
        if (!image.animate || matchMedia('(prefers-reduced-motion: reduce)').matches) return null
        const fading = image.animate({ opacity: [0, getComputedStyle(image).opacity] }, options.fade)
        fading.pause()
        return fading
      }

      async function run(fading) {
        fading.play()
        await Promise.race([
          settled([fading.finished]), new Promise(resolve => setTimeout(resolve, options.fade * 3)),
        ])
        fading.cancel()  // in a page that is not visible, the animation may never finish
      }
    """#
}
