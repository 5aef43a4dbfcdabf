// XMP is RDF in XML. The orientation is an attribute of a description or an element in it (XMP specification, part 1,
// section 7; part 2, section 3.2):
//
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6">
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/"><tiff:Orientation>6</tiff:Orientation> …

/// The positions of the TIFF orientation in an XMP packet.
struct XMPOrientation {
  struct Property {
    fileprivate let name: ArraySlice<UInt8>
    /// The attribute's value, or the element's text.
    let value: Range<Int>
    /// The complete attribute or element.
    let range: Range<Int>
  }

  /// The orientations in the order of the packet. A packet that is not well-formed is read as far as possible.
  private(set) var properties: [Property] = []

  private let xml: [UInt8]
  private var position = 0
  /// The prefixes that the packet declares for the TIFF namespace.
  private var prefixes: [ArraySlice<UInt8>] = []

  init(_ xml: [UInt8]) {
    self.xml = xml
    while skip(past: "<") {
      if xml[position...].starts(with: "!--".utf8) {
        _ = skip(past: "-->")
      } else if xml[position...].starts(with: "![CDATA[".utf8) {
        _ = skip(past: "]]>")
      } else if let next, next == .questionMark || next == .exclamationMark || next == .slash {
        _ = skip(past: ">")
      } else {
        readStartTag()
      }
    }
    let suffix = Array(":Orientation".utf8)
    properties = properties.filter { property in
      prefixes.contains { property.name.elementsEqual(Array($0) + suffix) }
    }
  }

  private mutating func readStartTag() {
    let start = position - 1
    let name = readName()
    while true {
      let space = position
      skipSpace()
      switch next {
      case nil: return
      case .greaterThan:
        position += 1
        return readText(of: name, from: start)
      case .slash: position += 1
      case _: guard readAttribute(from: space) else { return }
      }
    }
  }

  /// - Returns: false at the end of the packet.
  private mutating func readAttribute(from start: Int) -> Bool {
    let name = readName()
    skipSpace()
    guard next == .equalsSign else { return true }
    position += 1
    skipSpace()
    guard let quote = next, quote == .quotationMark || quote == .apostrophe else { return true }
    position += 1
    guard let end = xml[position...].firstIndex(of: quote) else { return false }
    let value = position..<end
    position = end + 1
    if xml[value].elementsEqual("http://ns.adobe.com/tiff/1.0/".utf8), name.starts(with: "xmlns:".utf8) {
      prefixes.append(name.dropFirst("xmlns:".utf8.count))
    }
    note(Property(name: name, value: value, range: start..<position))
    return true
  }

  /// Reads the text of an element that has no child elements. Leaves the position at the next tag.
  private mutating func readText(of name: ArraySlice<UInt8>, from start: Int) {
    let text = position
    guard let end = xml[text...].firstIndex(of: .lessThan) else { return }
    position = end
    guard xml[end...].starts(with: Array("</".utf8) + name), skip(past: ">") else { return }
    note(Property(name: name, value: text..<end, range: start..<position))
  }

  private mutating func note(_ property: Property) {
    let suffix = ":Orientation".utf8
    if property.name.count > suffix.count, property.name.suffix(suffix.count).elementsEqual(suffix) {
      properties.append(property)
    }
  }

  // MARK: Characters

  private var next: UInt8? { position < xml.count ? xml[position] : nil }

  private mutating func readName() -> ArraySlice<UInt8> {
    let start = position
    while let next, !next.isSpace, next != .equalsSign, next != .greaterThan, next != .slash { position += 1 }
    return xml[start..<position]
  }

  private mutating func skipSpace() {
    while let next, next.isSpace { position += 1 }
  }

  /// Moves to the end of the next `text`. If there is none, moves to the end of the packet and returns false.
  private mutating func skip(past text: StaticString) -> Bool {
    let text = text.description.utf8
    while position < xml.count {
      if xml[position...].starts(with: text) {
        position += text.count
        return true
      }
      position += 1
    }
    return false
  }
}

extension UInt8 {
  fileprivate static let quotationMark = Self(ascii: "\"")
  fileprivate static let apostrophe = Self(ascii: "'")
  fileprivate static let lessThan = Self(ascii: "<")
  fileprivate static let equalsSign = Self(ascii: "=")
  fileprivate static let greaterThan = Self(ascii: ">")
  fileprivate static let questionMark = Self(ascii: "?")
  fileprivate static let exclamationMark = Self(ascii: "!")
  fileprivate static let slash = Self(ascii: "/")

  fileprivate var isSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
