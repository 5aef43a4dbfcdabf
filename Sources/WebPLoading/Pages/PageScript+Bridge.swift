import PureWebP

extension WebP.PageScript {
  /// Starts the script with PNGs from a WebKit message handler, whose answers are calls of `PureWebP.answer`.
  static func bridge(_ name: String, fadeMilliseconds: Int) -> String {
    """
    ;(() => {
      const waiting = new Map()
      let last = 0
      // Answers for the page before this one may still come. (In a page by http, there is no randomUUID.)
      const token = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
      let page = token()
      PureWebP.answer = (asker, id, kind, ...values) => {
        const request = waiting.get(id)
        if (asker !== page || !request) return
        if (kind === 'size') return request.size(...values)
        waiting.delete(id)
        request[kind](...values)
      }
      const ask = (id, url) => webkit.messageHandlers.\(name).postMessage({ page, id, url })
      PureWebP.start({
        fade: \(fadeMilliseconds),
        load: (url, size) => new Promise((source, failure) => {
          waiting.set(++last, { url, size, source, failure })
          ask(last, url)
        }),
      })
      // A page that comes back as it was left gets none of the answers that came meanwhile. It asks for all as another
      // page, since what is still loaded for it would be loaded twice.
      addEventListener('pageshow', event => {
        if (!event.persisted) return
        page = token()
        waiting.forEach(({ url }, id) => ask(id, url))
      })
    })()
    """
  }
}
