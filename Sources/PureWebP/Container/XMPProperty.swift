// XMP is RDF in XML. A property is an attribute of a description or an element in it (XMP specification, part 1,
// section 7):
//
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6">
//   <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/"><tiff:Orientation>6</tiff:Orientation> …

/// The positions of a property in an XMP packet.
struct XMPProperty: ~Copyable {
  struct Occurrence {
    /// The prefix of the name.
    fileprivate let prefix: ArraySlice<UInt8>
    /// The attribute's value, or the element's text.
    let value: Range<Int>
    /// The complete attribute or element.
    let range: Range<Int>
  }

  /// The occurrences in the order of the packet. A packet that is not well-formed is read as far as possible.
  private(set) var occurrences: [Occurrence] = []

  /// The name of the property, after the colon.
  private let name: [UInt8]
  private let namespace: [UInt8]
  private let xml: [UInt8]
  private var position = 0
  /// The prefixes that the packet declares for the namespace.
  private var prefixes: Set<ArraySlice<UInt8>> = []

  init(_ name: String, namespace: String, in xml: [UInt8]) {
    (self.name, self.namespace, self.xml) = (Array(name.utf8), Array(namespace.utf8), xml)
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
    occurrences.removeAll { !prefixes.contains($0.prefix) }
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
    if xml[value].elementsEqual(namespace), name.starts(with: "xmlns:".utf8) {
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

  /// Stores an occurrence of the name, possibly of another namespace.
  private mutating func note(_ name: ArraySlice<UInt8>, value: Range<Int>, range: Range<Int>) {
    let prefix = name.dropLast(self.name.count)
    if name.suffix(self.name.count) == self.name[...], prefix.count > 1, prefix.last == UInt8(ascii: ":") {
      occurrences.append(Occurrence(prefix: prefix.dropLast(), value: value, range: range))
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
