// Texts in an encoding of their own: the comment of the user (Exif 3.0, section 4.6.6), the copyright (4.6.4), and the
// fields of Windows, which have UTF-16 in little-endian order, whatever the order of the block.

import PureWebP

extension WebP.Exif {
  /// The title, as Windows stores it. Programs prefer the description, tag 0x010E.
  public var windowsTitle: String? { windowsText(of: 0x9C9B) }

  /// The comment, as Windows stores it.
  public var windowsComment: String? { windowsText(of: 0x9C9C) }

  /// The authors, as Windows stores them, separated by semicolons. Programs prefer the artist, tag 0x013B.
  public var windowsAuthors: String? { windowsText(of: 0x9C9D) }

  /// The keywords, as Windows stores them, separated by semicolons.
  public var windowsKeywords: String? { windowsText(of: 0x9C9E) }

  /// The subject, as Windows stores it.
  public var windowsSubject: String? { windowsText(of: 0x9C9F) }

  private func windowsText(of tag: Int) -> String? {
    bytes(of: tag).flatMap { text(UTF16Text($0, isLittleEndian: true).decoded) }
  }

  /// The two parts of a copyright.
  public struct Copyright: Hashable, Sendable {
    /// The copyright of the photographer. Nil if the file specifies none.
    public let photographer: String?
    /// The copyright of the editor. Nil if the file specifies none.
    public let editor: String?
  }

  /// The copyright. Nil if both parts are missing or empty.
  public var copyright: Copyright? {
    guard let bytes = bytes(of: 0x8298) else { return nil }
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
      text(String(decoding: $0, as: UTF8.self))
    }
    let copyright = Copyright(photographer: parts[0], editor: parts.count > 1 ? parts[1] : nil)
    return copyright.photographer == nil && copyright.editor == nil ? nil : copyright
  }

  /// The comment of the user. Nil also if its encoding is JIS.
  ///
  /// The first eight bytes specify the encoding. If they are a part of the text, or a word that Exif does not define,
  /// the text is read as UTF-8.
  public var userComment: String? {
    guard let bytes = bytes(of: 0x9286, in: .exif) else { return nil }
    let (code, rest) = (bytes.prefix(8), bytes.dropFirst(8))
    let word = code.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    let padding = code.dropFirst(word.count)
    if code.count == 8, padding.first == 0 || padding.allSatisfy({ $0 == 0 || $0 == UInt8(ascii: " ") }) {
      switch String(decoding: word, as: UTF8.self) {
      case "UNICODE": return text(UTF16Text(rest, guessingFrom: block.isLittleEndian).decoded)
      case "JIS": return nil
      case "ASCII", "": return text(rest)
      default: break
      }
    }
    // A word with null bytes after it is a code, if a text follows it.
    return (code.contains(0) ? text(rest) : nil) ?? text(bytes)
  }

  /// The text to the first null byte.
  private func text(_ bytes: ArraySlice<UInt8>) -> String? {
    text(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
  }

  /// The text without spaces at its end. Nil if it is empty then.
  private func text(_ text: String) -> String? {
    var text = text
    while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}

/// UTF-16 with or without a byte order mark.
private struct UTF16Text {
  private var units: [UInt16]

  init(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) {
    units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    // A mark overrides the order.
    if isLittleEndian && units.first != 0xFEFF || units.first == 0xFFFE { swapBytes() }
  }

  /// Some writers store another order than the block's, without a mark. As in exiftool, the bytes with more different
  /// values are the lower ones. If both have the same number, the bytes that are zero more often are the upper ones.
  init(_ bytes: ArraySlice<UInt8>, guessingFrom isLittleEndian: Bool) {
    self.init(bytes, isLittleEndian: isLittleEndian)
    guard units.first != 0xFEFF else { return }
    let (upper, lower) = (units.map { $0 >> 8 }, units.map { $0 & 0xFF })
    let (upperCount, lowerCount) = (Set(upper).count, Set(lower).count)
    let zeros = { (bytes: [UInt16]) in bytes.count { $0 == 0 } }
    if upperCount > lowerCount || upperCount == lowerCount && zeros(lower) > zeros(upper) { swapBytes() }
  }

  private mutating func swapBytes() { units = units.map(\.byteSwapped) }

  /// The text to the first null character.
  var decoded: String { String(decoding: units.drop { $0 == 0xFEFF }.prefix { $0 != 0 }, as: UTF16.self) }
}
