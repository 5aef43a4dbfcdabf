/// Bytes of a page that may contain character references, such as `&amp;`.
///
/// Resolves numeric references and the names of characters that have a meaning in HTML. URLs and style sheets use no
/// others in practice. All other text is unchanged.
struct CharacterReferences {
  private static let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]

  private let bytes: ArraySlice<UInt8>
  /// The index in `bytes` at which the last call of `originalIndex(of:)` stopped.
  private var position: Int
  /// The corresponding index in `resolved`.
  private var offset = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The bytes with their references resolved.
  var resolved: [UInt8] {
    guard bytes.contains(.ampersand) else { return Array(bytes) }
    var output: [UInt8] = []
    var position = bytes.startIndex
    while position < bytes.endIndex {
      if let reference = reference(at: position) {
        output += reference.meaning
        position += reference.length
      } else {
        output.append(bytes[position])
        position += 1
      }
    }
    return output
  }

  /// Returns the index in `bytes` that corresponds to an index in `resolved`. Indices must be passed in ascending
  /// order.
  mutating func originalIndex(of index: Int) -> Int {
    while offset < index, position < bytes.endIndex {
      let reference = reference(at: position)
      offset += reference?.meaning.count ?? 1
      position += reference?.length ?? 1
    }
    return position
  }

  /// The UTF-8 code units of the character reference at `start`, and the reference's length in bytes.
  private func reference(at start: Int) -> (meaning: [UInt8], length: Int)? {
    guard bytes[start] == .ampersand else { return nil }
    let text = bytes[start...].prefix(12)
    guard let end = text.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: text[(start + 1)..<end], as: UTF8.self)
    var character = Self.names[name]
    if name.hasPrefix("#") {
      let digits = name.dropFirst()
      let isHexadecimal = digits.first == "x" || digits.first == "X"
      let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      character = code.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
    return character.map { (Array($0.utf8), end + 1 - start) }
  }
}

extension UInt8 {
  fileprivate static let ampersand = UInt8(ascii: "&")
}
