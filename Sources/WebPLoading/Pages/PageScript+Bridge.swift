import PureWebP

extension WebP.PageScript {
  /// The script that starts `PageScript` in a web view. It requests each PNG from the WebKit message handler `name`,
  /// which answers with calls of `PureWebP.answer`.
  static func bridge(_ name: String, fadeMilliseconds: Int) -> String {
    """
    ;(() => {
      const waiting = new Map()
      let last = 0
      // The token distinguishes this page from the previous one, whose answers may still arrive. Browsers offer
      // `randomUUID` only in secure contexts.
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
      // When the user returns to a page that the browser has preserved, the page has missed the answers sent meanwhile.
      // The page repeats all open requests with a new token, which stops the loads for the old token.
      addEventListener('pageshow', event => {
        if (!event.persisted) return
        page = token()
        waiting.forEach(({ url }, id) => ask(id, url))
      })
    })()
    """
  }
}
