import PureWebP

extension WebP.PageScript {
  /// The part of the script that finds images in the page, at the start and after each change.
  static let page = #"""
      // MARK: The page

      // The attributes with images, by element name. The object has no prototype, because a page may have an element
      // with the name of an inherited property, such as `constructor`.
      const attributes = {
        __proto__: null, input: ['src'], video: ['poster'], image: ['href', 'xlink:href'], object: ['data'],
        embed: ['src'], iframe: ['src'],
      }

      function visit(element) {
        const name = element.localName
        if (name === 'img') track(replaceImage(element))
        if (name === 'source' && element.parentElement) element.parentElement.querySelectorAll('img').forEach(visit)
        for (const attribute of attributes[name] || []) track(replaceAttribute(element, attribute))
        if (element.hasAttribute('style')) track(replaceInStyle(element.style, document.baseURI))
        if (name === 'style' || name === 'link' && element.relList.contains('stylesheet')) {
          if (element.sheet) replaceInSheet(element.sheet)
          // The event follows when the sheet and the sheets that it imports are loaded.
          element.addEventListener('load', () => { if (element.sheet) replaceInSheet(element.sheet) }, { once: true })
        }
      }

      function visitAll(root) {
        if (root.nodeType === Node.ELEMENT_NODE) visit(root)
        if (!root.querySelectorAll) return
        root.querySelectorAll('img, source, input, video, image, object, embed, iframe, style, link, [style]').forEach(visit)
      }

      const observer = new MutationObserver(records => {
        for (const record of records) {
          record.addedNodes.forEach(visitAll)
          if (record.type === 'attributes') visit(record.target)
          const element = record.target.closest ? record.target : record.target.parentElement
          const style = element && element.closest('style')
          if (style) visit(style)
        }
      })

      // Watches the document or a shadow tree. Each shadow tree needs its own listener, because `error` events do not
      // leave the tree.
      function observe(root) {
        root.addEventListener('error', hold, true)
        observer.observe(root, {
          childList: true, subtree: true, characterData: true, attributes: true,
          attributeFilter: ['src', 'srcset', 'poster', 'href', 'xlink:href', 'data', 'style'],
        })
        visitAll(root)
      }

      // Replaces the functions that create images, shadow trees and rules, because observers do not report their
      // effects.
      function wrap() {
        const { Image } = window
        window.Image = function (...size) {
          const image = Reflect.construct(Image, size, new.target || Image)
          image.addEventListener('error', hold)
          return image
        }
        window.Image.prototype = Image.prototype
        const { attachShadow } = Element.prototype
        Element.prototype.attachShadow = function (...values) {
          const root = attachShadow.apply(this, values)
          observe(root)
          return root
        }
        const { insertRule } = CSSStyleSheet.prototype
        CSSStyleSheet.prototype.insertRule = function (...values) {
          const index = insertRule.apply(this, values)
          replaceInSheet(this)
          return index
        }
      }
    """#
}
