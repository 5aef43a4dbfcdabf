/// The common tags of an Exif block (Exif 3.0, sections 4.6.4 and 4.6.5): the camera, the exposure, times and texts.
/// Invalid entries are omitted.
struct ExifTags {
  /// The tags with their names in Exif and their values as text, in the order of the list below.
  private(set) var values: [(name: String, value: String)] = []

  private let bytes: ArraySlice<UInt8>
  private let isLittleEndian: Bool

  private static let tags: [(number: Int, name: String)] = [
    (0x010E, "ImageDescription"), (0x010F, "Make"), (0x0110, "Model"), (0xA434, "LensModel"), (0x829A, "ExposureTime"),
    (0x829D, "FNumber"), (0x8827, "ISOSpeedRatings"), (0x920A, "FocalLength"), (0x9003, "DateTimeOriginal"),
    (0x0132, "DateTime"), (0x0112, "Orientation"), (0x0131, "Software"), (0x013B, "Artist"), (0x8298, "Copyright"),
  ]

  /// - Parameter exif: the block without the prefixes of JPEG's Exif segment.
  init(_ exif: ArraySlice<UInt8>) {
    bytes = exif
    isLittleEndian = bytes.starts(with: "II".utf8)
    guard isLittleEndian || bytes.starts(with: "MM".utf8), let first = number(at: 4, bytes: 4) else { return }
    var found: [Int: String] = [:]
    let main = readDirectory(at: first, into: &found)
    if let exif = main { _ = readDirectory(at: exif, into: &found) }
    values = Self.tags.compactMap { tag in found[tag.number].map { (tag.name, $0) } }
  }

  /// Reads the tags of a directory.
  ///
  /// - Returns: the offset of the directory with Exif's own tags, if the directory has one.
  private func readDirectory(at offset: Int, into found: inout [Int: String]) -> Int? {
    guard let count = number(at: offset, bytes: 2) else { return nil }
    var subdirectory: Int?
    for index in 0..<count {
      let entry = offset + 2 + 12 * index
      guard let tag = number(at: entry, bytes: 2) else { break }
      if tag == 0x8769 { subdirectory = number(at: entry + 8, bytes: 4) }
      if Self.tags.contains(where: { $0.number == tag }), let value = value(at: entry) { found[tag] = value }
    }
    return subdirectory
  }

  private func value(at entry: Int) -> String? {
    guard let type = number(at: entry + 2, bytes: 2), let count = number(at: entry + 4, bytes: 4), count > 0 else {
      return nil
    }
    func offset(ofBytes size: Int) -> Int? { size <= 4 ? entry + 8 : number(at: entry + 8, bytes: 4) }
    switch type {
    case 2, 129:  // ASCII, UTF-8
      guard let start = offset(ofBytes: count), count <= bytes.count, start <= bytes.count - count else { return nil }
      let text = bytes.dropFirst(start).prefix(min(count, 1000)).prefix { $0 != 0 }
      let trimmed = text.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
      return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    case 3: return number(at: entry + 8, bytes: 2).map(String.init)
    case 4: return number(at: entry + 8, bytes: 4).map(String.init)
    case 5:  // two numbers of 32 bits
      guard let start = offset(ofBytes: 8), let numerator = number(at: start, bytes: 4),
        let denominator = number(at: start + 4, bytes: 4), denominator > 0
      else { return nil }
      return numerator % denominator == 0 ? "\(numerator / denominator)" : "\(numerator)/\(denominator)"
    default: return nil
    }
  }

  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let field = bytes.dropFirst(offset).prefix(count)
    return (isLittleEndian ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
  }
}

/// Returns the description of an ICC profile (ICC.1:2022, sections 7.3 and 9.2.41), such as `sRGB IEC61966-2.1`.
/// Returns nil if it has none.
func profileDescription(_ profile: [UInt8]) -> String? {
  func number(at offset: Int, bytes count: Int = 4) -> Int? {
    guard offset >= 0, offset <= profile.count - count else { return nil }
    return profile[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
  func text(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, offset >= 0, count <= profile.count, offset <= profile.count - count else { return nil }
    return profile[offset..<offset + min(count, 1000)]
  }
  let count = min(number(at: 128) ?? 0, 1000)
  guard let entry = (0..<count).map({ 132 + 12 * $0 }).first(where: { number(at: $0) == 0x6465_7363 }),  // desc
    let start = number(at: entry + 4), let type = number(at: start)
  else { return nil }
  var description = ""
  if type == 0x6465_7363, let length = number(at: start + 8), let ascii = text(at: start + 12, count: length) {
    // textDescriptionType of version 2
    description = String(decoding: ascii.prefix { $0 != 0 }, as: UTF8.self)
  } else if type == 0x6D6C_7563, let length = number(at: start + 20), let offset = number(at: start + 24),
    let utf16 = text(at: start + offset, count: length)
  {
    // multiLocalizedUnicodeType: the first of its texts
    let units = stride(from: utf16.startIndex, to: utf16.endIndex - 1, by: 2).map {
      UInt16(utf16[$0]) << 8 | UInt16(utf16[$0 + 1])
    }
    description = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
  }
  return description.isEmpty ? nil : description
}
