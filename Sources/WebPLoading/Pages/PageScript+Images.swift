import PureWebP

extension WebP.PageScript {
  /// Replaces what an `img` shows.
  static let images = #"""
      // MARK: Images

      // All that decides what an img shows: its own attributes and those of the sources beside it.
      function placesOf(image) {
        const elements = image.matches('picture > img')
          ? [...image.parentElement.querySelectorAll('source'), image] : [image]
        return elements.flatMap(element => [['src', null], ['srcset', partsOfSrcset]].flatMap(([name, parse]) => {
          if (name === 'src' && element.localName === 'source') return []
          const parts = attributeParts(element, name, parse)
          const text = element.getAttribute(name)
          // Who has no WebP passes over such a source: as a PNG, it is chosen, with whichever of its candidates fits.
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
        // The page may change its mind meanwhile; then the image is looked at anew.
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
          try { await image.decode() } catch {
            // Where the page's policy refuses what it was given, it gets back what it had, and keeps that.
            const known = places.flatMap(place => place.parts).filter(part => part.url)
            const urls = await Promise.all(known.map(({ url }) => load(url).source))
            // Of what it refuses, Chromium tells the text, not the URL.
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
        if (!isUnchanged()) track(replaceImage(image))
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
          Promise.allSettled([fading.finished]), new Promise(resolve => setTimeout(resolve, options.fade * 3)),
        ])
        fading.cancel()  // where nothing is shown, it may not have come to an end
      }
    """#
}
