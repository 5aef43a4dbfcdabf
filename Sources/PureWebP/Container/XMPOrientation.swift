// XMP is RDF in XML. The orientation is an attribute of a description or an element in it (XMP specification, part 1,
// section 7; part 2, section 3.2):
//
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6">
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/"><tiff:Orientation>6</tiff:Orientation> …

/// The positions of the TIFF orientation in an XMP packet.
struct XMPOrientation: ~Copyable {
  struct Property {
    /// The prefix of the name.
    fileprivate let prefix: ArraySlice<UInt8>
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
  private var prefixes: Set<ArraySlice<UInt8>> = []

  init(_ xml: [UInt8]) {
    self.xml = xml
    while skip(past: "<") {
      if xml[position...].starts(with: "!--".utf8) {
        _ = skip(past: "-->")
      } else if xml[position...].starts(with: "![CDATA[".utf8) {
        _ = skip(past: "]]>")
      } else if let next, next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || next == UInt8(ascii: "/") {
        _ = skip(past: ">")
      } else {
        readStartTag()
      }
    }
    properties.removeAll { !prefixes.contains($0.prefix) }
  }

  private mutating func readStartTag() {
    let start = position - 1
    let name = readName()
    while true {
      let space = position
      skipSpace()
      switch next {
      case nil: return
      case UInt8(ascii: ">"):
        position += 1
        return readText(of: name, from: start)
      case UInt8(ascii: "/"): position += 1
      case _: guard readAttribute(from: space) else { return }
      }
    }
  }

  /// - Returns: false at the end of the packet.
  private mutating func readAttribute(from start: Int) -> Bool {
    let name = readName()
    skipSpace()
    guard next == UInt8(ascii: "=") else { return true }
    position += 1
    skipSpace()
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return true }
    position += 1
    guard let end = xml[position...].firstIndex(of: quote) else { return false }
    let value = position..<end
    position = end + 1
    if xml[value].elementsEqual("http://ns.adobe.com/tiff/1.0/".utf8), name.starts(with: "xmlns:".utf8) {
      prefixes.insert(name.dropFirst("xmlns:".utf8.count))
    }
    note(name, value: value, range: start..<position)
    return true
  }

  /// Reads the text of an element that has no child elements. Leaves the position at the next tag.
  private mutating func readText(of name: ArraySlice<UInt8>, from start: Int) {
    let text = position
    guard let end = xml[text...].firstIndex(of: UInt8(ascii: "<")) else { return }
    position = end
    guard xml[end...].starts(with: Array("</".utf8) + name), skip(past: ">") else { return }
    note(name, value: text..<end, range: start..<position)
  }

  /// Stores a property that is an orientation, possibly of another namespace.
  private mutating func note(_ name: ArraySlice<UInt8>, value: Range<Int>, range: Range<Int>) {
    let suffix = ":Orientation".utf8
    if name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) {
      properties.append(Property(prefix: name.dropLast(suffix.count), value: value, range: range))
    }
  }

  // MARK: Characters

  private var next: UInt8? { position < xml.count ? xml[position] : nil }

  private mutating func readName() -> ArraySlice<UInt8> {
    let start = position
    while let next, !next.isSpace, next != UInt8(ascii: "="), next != UInt8(ascii: ">"), next != UInt8(ascii: "/") {
      position += 1
    }
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
  fileprivate var isSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
