import PureWebP

extension WebP.PageScript {
  /// The part of the script that finds WebP images in attributes and style sheets.
  ///
  /// Its functions split a text into parts, or return null if the text refers to no WebP. A part that refers to a WebP
  /// is an object `{ url, text, with }`: the image's absolute URL, the text of the part, and a function that returns
  /// the text for another URL. All other parts are strings.
  static let references = #"""
      // MARK: References

      const isWebP = url => /^data:image\/webp[;,]/i.test(url) || /\.webp$/i.test(url.split(/[?#]/)[0])
      const resolved = (url, base) => { try { return new URL(url, base).href } catch { return null } }

      function partsOfSrcset(text, base) {
        const parts = []
        const names = /[^\s,]\S*/g
        const descriptors = /(?:[^,(]+|\([^)]*\)?)*/y  // up to the next comma outside of parentheses
        let [end, hasOthers] = [0, false]
        for (let match; match = names.exec(text);) {
          let after = names.lastIndex
          while (text[after - 1] === ',') after--
          const name = text.slice(match.index, after)
          const url = resolved(name, base)
          if (url && isWebP(url)) {
            parts.push(text.slice(end, match.index), { url, text: name, with: url => url })
            end = after
          } else {
            hasOthers = true
          }
          if (after < names.lastIndex) continue  // a comma at the end of the URL ends the candidate
          descriptors.lastIndex = after
          descriptors.test(text)
          names.lastIndex = descriptors.lastIndex
        }
        return parts.length ? Object.assign([...parts, text.slice(end)], { hasOthers }) : null
      }

      function partsOfCSS(text, base) {
        if (!/\.webp|image\/webp/i.test(text)) return null
        const parts = []
        const reference =
          /url\(\s*(?:(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^\s"'()\\]|\\.)+))\s*)?\)/gi
        let end = 0
        // Adds the text up to `after`. In an `image-set`, the `type` of the previous image may be in this text, before
        // the next comma. It then belongs to the image's part.
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
        for (let match; match = reference.exec(text);) {
          const name = (match[1] || match[2] || match[3] || '').replace(/\\(.)/g, '$1')
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

      function attributeParts(element, name, parse) {
        const text = element.getAttribute(name)
        if (!text) return null
        if (parse) return parse(text, document.baseURI)
        const url = resolved(text, document.baseURI)
        return url && isWebP(url) ? [{ url, text, with: url => url }] : null
      }
    """#
}
