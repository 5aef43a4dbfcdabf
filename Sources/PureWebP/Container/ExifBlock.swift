// Exif is a TIFF file without its image (TIFF 6.0, section 2; Exif 2.32, section 4.6.4):
//
//   byte 0   II or MM, the byte order               entry   tag    2 bytes
//        2   42                                             type   2 bytes; see integerSizes
//        4   offset of the first directory                  count  4 bytes
//                                                           value  4 bytes; a short value is in the first ones
//
//   A directory has the number of entries (2 bytes), the entries in the order of their tags, and the offset of the next
//   directory (4 bytes).

/// The first directory of an Exif block, with access to its orientation (tag 0x0112).
struct ExifBlock {
  /// The complete block, including the prefixes.
  private(set) var bytes: [UInt8]
  /// The index in `bytes` from which TIFF counts its offsets.
  private let start: Int
  private let isLittleEndian: Bool

  private static let orientationTag = 0x0112
  private static let shortType = 3
  /// The sizes of the integer types, in bytes: BYTE, SHORT, LONG, SBYTE, SSHORT and SLONG (TIFF 6.0, section 2). Exif
  /// requires SHORT for the orientation. Some writers use other types, which exiftool reads too.
  private static let integerSizes = [1: 1, shortType: 2, 4: 4, 6: 1, 8: 2, 9: 4]
  private static let entrySize = 12

  /// Returns nil unless the block has the header of a TIFF file.
  init?(_ bytes: [UInt8]) {
    start = Self.prefixCount(of: bytes)
    let header = bytes[start...].prefix(4)
    if header.elementsEqual([0x49, 0x49, 42, 0]) {
      isLittleEndian = true
    } else if header.elementsEqual([0x4D, 0x4D, 0, 42]) {
      isLittleEndian = false
    } else {
      return nil
    }
    self.bytes = bytes
  }

  /// A block that contains only the orientation.
  init(_ orientation: WebP.Orientation) {
    start = 0
    isLittleEndian = true
    bytes = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + Self.entry(orientation, isLittleEndian) + [0, 0, 0, 0]
  }

  /// The number of bytes before the TIFF header. Some writers store the prefix of JPEG's Exif segment, once or
  /// repeatedly.
  static func prefixCount(of bytes: [UInt8]) -> Int {
    let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    var count = 0
    while bytes[count...].starts(with: prefix) { count += prefix.count }
    return count
  }

  /// Nil if the first directory has no valid orientation.
  var orientation: WebP.Orientation? {
    guard let entry = orientationEntry, let type = number(at: entry + 2, bytes: 2), let size = Self.integerSizes[type]
    else { return nil }
    return number(at: entry + 8, bytes: size).flatMap { WebP.Orientation(rawValue: $0) }
  }

  /// Overwrites the orientation, even if its type or value is invalid.
  ///
  /// - Returns: false if there is no orientation to overwrite.
  mutating func replaceOrientation(with orientation: WebP.Orientation) -> Bool {
    guard let entry = orientationEntry, number(at: entry + 8, bytes: 2) != nil else { return false }
    let end = min(start + entry + Self.entrySize, bytes.count)
    bytes.replaceSubrange(start + entry..<end, with: Self.entry(orientation, isLittleEndian))
    return true
  }

  /// Adds an orientation to a directory that has none.
  ///
  /// - Returns: false if the directory cannot be read or is full.
  mutating func insert(_ orientation: WebP.Orientation) -> Bool {
    guard let (directory, count) = directory, number(at: directory + 2 + Self.entrySize * count, bytes: 4) != nil,
      count < Int(UInt16.max), bytes.count < Int(Int32.max) - Self.entrySize * (count + 1)
    else { return false }
    // A longer copy of the directory at the end, because offsets in the block are absolute.
    let entries = start + directory + 2
    var old = bytes[entries..<entries + Self.entrySize * count + 4]
    if !(bytes.count - start).isMultiple(of: 2) { bytes.append(0) }
    bytes.replaceSubrange(start + 4..<start + 8, with: encoded(bytes.count - start, bytes: 4))
    bytes += encoded(count + 1, bytes: 2)
    var before = 0
    while before < count,
      number(at: directory + 2 + Self.entrySize * before, bytes: 2) ?? 0 < Self.orientationTag
    {
      before += 1
    }
    bytes += old.prefix(Self.entrySize * before)
    old = old.dropFirst(Self.entrySize * before)
    bytes += Self.entry(orientation, isLittleEndian)
    bytes += old
    return true
  }

  /// Removes all entries with an orientation.
  ///
  /// - Returns: false if nothing else remains in the block.
  mutating func removeOrientation() -> Bool {
    guard let (directory, count) = directory, orientationEntry != nil else { return true }
    let next = directory + 2 + Self.entrySize * count
    let (entries, end) = (start + directory + 2, min(start + next + 4, bytes.count))
    // The other entries move up; all other offsets stay valid.
    var rest: [UInt8] = []
    var kept = 0
    for index in 0..<count {
      let entry = directory + 2 + Self.entrySize * index
      if number(at: entry, bytes: 2) == Self.orientationTag { continue }
      rest += bytes[min(start + entry, end)..<min(start + entry + Self.entrySize, end)]
      kept += 1
    }
    guard kept > 0 || (number(at: next, bytes: 4) ?? 0) != 0 else { return false }
    rest += bytes[min(start + next, end)..<end]
    // In a truncated directory, the free bytes are entries too.
    rest += repeatElement(0, count: end - entries - rest.count)
    bytes.replaceSubrange(entries..<entries + rest.count, with: rest)
    bytes.replaceSubrange(start + directory..<entries, with: encoded(kept, bytes: 2))
    return true
  }

  // MARK: The directory

  /// The offset of the first directory and its number of entries.
  private var directory: (offset: Int, count: Int)? {
    guard let directory = number(at: 4, bytes: 4), directory >= 8, let count = number(at: directory, bytes: 2) else {
      return nil
    }
    return (directory, count)
  }

  private var orientationEntry: Int? {
    guard let (directory, count) = directory else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + Self.entrySize * index
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      if tag == Self.orientationTag { return entry }
    }
    return nil
  }

  // MARK: Numbers

  /// - Parameters:
  ///   - offset: the offset from the TIFF header.
  ///   - count: 1, 2 or 4.
  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - start - count else { return nil }
    var value: UInt32 = 0
    for index in 0..<count {
      value = value << 8 | UInt32(bytes[start + offset + (isLittleEndian ? count - 1 - index : index)])
    }
    return Int(exactly: value)
  }

  private func encoded(_ number: Int, bytes count: Int) -> [UInt8] {
    Self.encoded(number, bytes: count, isLittleEndian)
  }

  private static func encoded(_ number: Int, bytes count: Int, _ isLittleEndian: Bool) -> [UInt8] {
    (0..<count).map { index in
      UInt8(truncatingIfNeeded: number >> (8 * (isLittleEndian ? index : count - 1 - index)))
    }
  }

  /// An entry of type SHORT. The last two bytes of its value are unused.
  private static func entry(_ orientation: WebP.Orientation, _ isLittleEndian: Bool) -> [UInt8] {
    encoded(orientationTag, bytes: 2, isLittleEndian) + encoded(shortType, bytes: 2, isLittleEndian)
      + encoded(1, bytes: 4, isLittleEndian) + encoded(orientation.rawValue, bytes: 2, isLittleEndian) + [0, 0]
  }
}
