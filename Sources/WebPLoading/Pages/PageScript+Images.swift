import PureWebP

extension WebP.PageScript {
  /// Replaces the image that an `img` shows.
  static let images = #"""
      // MARK: Images

      // The attributes that select the image, on the img and on the sources beside it.
      function placesOf(image) {
        const elements = image.matches('picture > img')
          ? [...image.parentElement.querySelectorAll('source'), image] : [image]
        return elements.flatMap(element => [['src', null], ['srcset', partsOfSrcset]].flatMap(([name, parse]) => {
          if (name === 'src' && element.localName === 'source') return []
          const parts = attributeParts(element, name, parse)
          const text = element.getAttribute(name)
          // A browser without WebP skips a source of this type. As a PNG it is selected, with any of its candidates.
          const isTyped = element.localName === 'source' && /^image\/webp$/i.test(element.type)
          if (!parts || isTyped && parts.hasOthers) return []
          return [{ element, name, parts, text, original: text, isTyped, type: element.type }]
        }))
      }

      const busy = new WeakSet()

      async function replaceImage(image) {
        if (busy.has(image)) return
        const places = placesOf(image)
        if (!places.length) return
        busy.add(image)
        // If the page changes the image meanwhile, it is examined again.
        const isUnchanged = () => places.every(place => place.element.getAttribute(place.name) === place.text)
        const put = texts => places.forEach((place, index) => {
          if (place.text === texts[index]) return
          place.text = texts[index]
          place.element.setAttribute(place.name, place.text)
          if (place.isTyped) place.element.type = place.text === place.original ? place.type : 'image/png'
        })
        const texts = kind => Promise.all(places.map(place => filled(place.parts, kind, place.isTyped)))

        let isDone = false
        texts('placeholder').then(texts => { if (!isDone && isUnchanged()) put(texts) })
        const replaced = await texts('source')
        isDone = true
        if (isUnchanged()) {
          const isNew = places.some((place, index) => place.original !== replaced[index])
          const fading = isNew && options.fade && fadingIn(image)
          put(replaced)
          // Firefox rejects the first time, because of the image that failed before. Images outside of the document are
          // not decoded here: WebKit draws nothing to a canvas while it does so.
          if (image.isConnected) try { await image.decode().catch(() => image.decode()) } catch {
            // If the page's policy forbids the new image, the original is restored, and stays.
            const known = places.flatMap(place => place.parts).filter(part => part.url)
            const urls = await Promise.all(known.map(({ url }) => load(url).source))
            // For an image that it refuses, Chromium reports the text, not the URL.
            const current = resolved(image.currentSrc, document.baseURI)
            const isOurs = urls.some(url => url !== null && resolved(url, document.baseURI) === current)
            if (isOurs && !image.naturalWidth && isUnchanged()) {
              for (const { url } of known) loads.set(url, missing)
              put(places.map(place => place.original))
            }
          }
          if (fading) await run(fading)
        }
        busy.delete(image)
        if (!isUnchanged()) return track(replaceImage(image))
        if (places.every(place => place.text === place.original)) release(image)
      }

      // The page hears the error of a WebP that cannot be replaced. Until then, a fallback of the page would take its place.
      const held = new WeakSet()
      const released = new WeakSet()

      function hold(event) {
        const image = event.target
        if (image.localName !== 'img' || released.has(image) || !placesOf(image).length) return
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

      // An animation leaves the image's own style alone. Until it runs, the image is transparent.
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
        fading.cancel()  // where nothing is shown, it may not have come to an end
      }
    """#
}
