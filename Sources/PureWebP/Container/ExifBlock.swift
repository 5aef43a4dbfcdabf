// Exif is a TIFF file without its image (TIFF 6.0, section 2; Exif 3.0, section 4.6):
//
//   byte 0   II or MM, the byte order               entry   tag    2 bytes
//        2   42                                             type   2 bytes
//        4   offset of the first directory                  count  4 bytes
//                                                           value  4 bytes, or the offset of a longer value
//
//   A directory has the number of entries (2 bytes), the entries in the order of their tags, and the offset of the next
//   directory (4 bytes). The directories of Exif and GPS are values of the first directory.

/// Finds the entries of Exif metadata. The module WebPExif reads their values; the decoder needs only the orientation.
package struct ExifBlock: Sendable {
  /// The complete block, including the prefixes.
  var bytes: [UInt8]
  /// The index in `bytes` from which TIFF counts its offsets.
  let start: Int
  package let isLittleEndian: Bool

  package static let entrySize = 12

  /// - Parameter bytes: The block. A prefix `Exif\0\0`, as in a JPEG, is skipped.
  /// - Returns: Nil unless the block has the header of a TIFF file.
  package init?(_ bytes: [UInt8]) {
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
    bytes = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + Self.entry(orientation, isLittleEndian: true) + [0, 0, 0, 0]
  }

  /// The block without prefixes, as a TIFF file begins with it.
  package var tiff: ArraySlice<UInt8> { bytes[start...] }

  /// The number of bytes before the TIFF header. Some writers store the prefix of JPEG's Exif segment, once or
  /// repeatedly.
  fileprivate static func prefixCount(of bytes: [UInt8]) -> Int {
    let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    var count = 0
    while bytes[count...].starts(with: prefix) { count += prefix.count }
    return count
  }
}

// MARK: Directories

extension ExifBlock {
  /// The offset of the first directory and its number of entries.
  package var firstDirectory: (offset: Int, count: Int)? {
    guard let directory = integer(at: 4, bytes: 4), directory >= 8, let count = integer(at: directory, bytes: 2) else {
      return nil
    }
    return (directory, count)
  }

  /// The offset of a tag's first entry. Nil if there is none before the end of the block.
  package func entry(of tag: Int, inDirectoryAt directory: Int) -> Int? {
    guard let count = integer(at: directory, bytes: 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + Self.entrySize * index
      guard let found = integer(at: entry, bytes: 2) else { return nil }
      if found == tag { return entry }
    }
    return nil
  }

  /// A number that is not negative. Nil if it is not in the block, or does not fit an `Int`.
  ///
  /// - Parameters:
  ///   - offset: The offset from the TIFF header.
  ///   - count: The number of bytes.
  package func integer(at offset: Int, bytes count: Int) -> Int? {
    number(at: offset, bytes: count).flatMap { Int(exactly: $0) }
  }

  /// A number of at most eight bytes. Nil if it is not in the block.
  package func number(at offset: Int, bytes count: Int) -> UInt64? {
    guard offset >= 0, offset <= bytes.count - start - count else { return nil }
    var value: UInt64 = 0
    for index in 0..<count {
      value = value << 8 | UInt64(bytes[start + offset + (isLittleEndian ? count - 1 - index : index)])
    }
    return value
  }
}

extension WebP.Metadata {
  /// The directories of ``exif``. Nil if there is no Exif, or if it is not a TIFF structure.
  package var exifBlock: ExifBlock? { exif.flatMap { ExifBlock($0) } }

  /// The Exif block as PNG and TIFF store it: without the prefixes of JPEG's Exif segment.
  package var exifWithoutPrefix: ArraySlice<UInt8>? { exif.map { $0[ExifBlock.prefixCount(of: $0)...] } }
}
