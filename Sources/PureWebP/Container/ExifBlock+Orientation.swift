// Reading and changing the orientation (tag 0x0112) in place.

extension ExifBlock {
  private static let orientationTag = 0x0112
  private static let shortType = 3

  /// The size of an integer type, in bytes: BYTE, SHORT, LONG, SBYTE, SSHORT or SLONG (TIFF 6.0, section 2). Exif
  /// requires SHORT for the orientation. Some writers use other types, which exiftool reads too.
  private static func integerSize(ofType type: Int) -> Int? {
    switch type {
    case 1, 6: 1
    case shortType, 8: 2
    case 4, 9: 4
    default: nil
    }
  }

  /// The orientation. Nil if the first directory has no valid one.
  package var orientation: WebP.Orientation? {
    guard let entry = orientationEntry, let type = integer(at: entry + 2, bytes: 2),
      let size = Self.integerSize(ofType: type)
    else { return nil }
    return integer(at: entry + 8, bytes: size).flatMap { WebP.Orientation(rawValue: $0) }
  }

  /// Overwrites all orientations of the first directory, even if their types or values are invalid.
  ///
  /// - Returns: false if there is no orientation to overwrite.
  mutating func replaceOrientation(with orientation: WebP.Orientation) -> Bool {
    guard let (directory, _) = firstDirectory else { return false }
    var isReplaced = false
    for index in 0..<startedEntries {
      let entry = directory + 2 + Self.entrySize * index
      guard integer(at: entry, bytes: 2) == Self.orientationTag, integer(at: entry + 8, bytes: 2) != nil else {
        continue
      }
      let end = min(start + entry + Self.entrySize, bytes.count)
      bytes.replaceSubrange(start + entry..<end, with: Self.entry(orientation, isLittleEndian: isLittleEndian))
      isReplaced = true
    }
    return isReplaced
  }

  /// Adds an orientation to a directory that has none. In a truncated block, missing bytes count as 0. Missing entries
  /// are omitted.
  ///
  /// - Returns: false if the directory is full.
  mutating func insert(_ orientation: WebP.Orientation) -> Bool {
    let count = startedEntries
    guard count < Int(UInt16.max), bytes.count < Int(Int32.max) - Self.entrySize * (count + 2) else { return false }
    let directory = firstDirectory
    let entries = directory.map { $0.offset + 2 } ?? 0
    var old = (0..<Self.entrySize * count).map { UInt8(integer(at: entries + $0, bytes: 1) ?? 0) }[...]
    let next = directory.flatMap { integer(at: entries + Self.entrySize * $0.count, bytes: 4) } ?? 0
    // A longer copy of the directory at the end, because offsets in the block are absolute.
    while bytes.count - start < 8 || !(bytes.count - start).isMultiple(of: 2) { bytes.append(0) }
    bytes.replaceSubrange(start + 4..<start + 8, with: encoded(bytes.count - start, bytes: 4))
    bytes += encoded(count + 1, bytes: 2)
    var before = 0
    while before < count,
      integer(at: entries + Self.entrySize * before, bytes: 2) ?? 0 < Self.orientationTag
    {
      before += 1
    }
    bytes += old.prefix(Self.entrySize * before)
    old = old.dropFirst(Self.entrySize * before)
    bytes += Self.entry(orientation, isLittleEndian: isLittleEndian)
    bytes += old
    bytes += encoded(next, bytes: 4)
    return true
  }

  /// The number of entries of the first directory whose value begins before the end of the block.
  private var startedEntries: Int {
    guard let (directory, count) = firstDirectory else { return 0 }
    return min(count, (bytes.count - start - directory - 2 + 3) / Self.entrySize)
  }

  /// Removes all entries with an orientation.
  ///
  /// - Returns: false if nothing else remains in the block.
  mutating func removeOrientation() -> Bool {
    guard let (directory, count) = firstDirectory, orientationEntry != nil else { return true }
    let next = directory + 2 + Self.entrySize * count
    let (entries, end) = (start + directory + 2, min(start + next + 4, bytes.count))
    // The other entries move up; all other offsets stay valid.
    var rest: [UInt8] = []
    var kept = 0
    for index in 0..<count {
      let entry = directory + 2 + Self.entrySize * index
      if integer(at: entry, bytes: 2) == Self.orientationTag { continue }
      rest += bytes[min(start + entry, end)..<min(start + entry + Self.entrySize, end)]
      kept += 1
    }
    guard kept > 0 || (integer(at: next, bytes: 4) ?? 0) != 0 else { return false }
    rest += bytes[min(start + next, end)..<end]
    // In a truncated directory, the free bytes are entries too.
    rest += repeatElement(0, count: end - entries - rest.count)
    bytes.replaceSubrange(entries..<entries + rest.count, with: rest)
    bytes.replaceSubrange(start + directory..<entries, with: encoded(kept, bytes: 2))
    return true
  }

  private var orientationEntry: Int? {
    firstDirectory.flatMap { entry(of: Self.orientationTag, inDirectoryAt: $0.offset) }
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
  static func entry(_ orientation: WebP.Orientation, isLittleEndian: Bool) -> [UInt8] {
    encoded(orientationTag, bytes: 2, isLittleEndian) + encoded(shortType, bytes: 2, isLittleEndian)
      + encoded(1, bytes: 4, isLittleEndian) + encoded(orientation.rawValue, bytes: 2, isLittleEndian) + [0, 0]
  }
}
