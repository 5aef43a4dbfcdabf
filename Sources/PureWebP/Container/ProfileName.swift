// The description of an ICC profile (ICC.1:2022, sections 7.3 and 9.2.41):
//
//   byte 128   the number of tags, then for each tag its signature, offset and size, 4 bytes each

extension WebP.Metadata {
  /// The description in ``icc``, such as `sRGB IEC61966-2.1`. Nil if there is no profile, or if it has no description.
  public var profileName: String? {
    guard let icc else { return nil }
    func number(at offset: Int) -> Int? {
      guard offset >= 0, offset <= icc.count - 4 else { return nil }
      return Int(exactly: icc[offset..<offset + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    }
    func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
      guard offset <= icc.count, count <= icc.count - offset else { return nil }
      return icc[offset..<offset + min(count, 1000)]
    }
    let tags = 0..<min(number(at: 128) ?? 0, 1000)
    guard let tag = tags.first(where: { number(at: 132 + 12 * $0) == Self.descriptionTag }),
      let start = number(at: 132 + 12 * tag + 4), let type = number(at: start), start <= icc.count
    else { return nil }
    var name = ""
    if type == Self.descriptionTag, let count = number(at: start + 8), let ascii = bytes(at: start + 12, count: count) {
      // textDescriptionType, of version 2
      name = String(decoding: ascii.prefix { $0 != 0 }, as: UTF8.self)
    } else if type == Self.unicodeType, let count = number(at: start + 20), let offset = number(at: start + 24),
      offset <= icc.count, let text = bytes(at: start + offset, count: count)
    {
      // multiLocalizedUnicodeType: the first of its texts
      let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
        UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
      }
      name = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    }
    return name.isEmpty ? nil : name
  }

  /// `desc`, a tag and a type.
  private static let descriptionTag = 0x6465_7363
  /// `mluc`
  private static let unicodeType = 0x6D6C_7563
}
