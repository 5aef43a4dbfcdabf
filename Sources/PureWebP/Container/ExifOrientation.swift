// Exif is a TIFF file without its picture (TIFF 6.0, section 2):
//
//   byte 0   II or MM: which end of a number comes first      entry   tag    2 bytes
//        2   42                                                       type   2 bytes: 3 is a 16-bit number
//        4   where the first directory is                             count  4 bytes
//                                                                     value  4 bytes, a short one first
//   directory: the number of entries, 2 bytes, then the entries

extension WebP.Orientation {
  /// What tag 0x0112 of the first directory says; nil where there is none that can be understood.
  init?(exif: [UInt8]) {
    let reader = TIFFReader(exif)
    guard let reader, let directory = reader.number(at: 4, bytes: 4), let count = reader.number(at: directory, bytes: 2)
    else { return nil }
    for entry in 0..<count {
      let offset = directory + 2 + 12 * entry
      guard let tag = reader.number(at: offset, bytes: 2) else { return nil }
      guard tag == 0x0112 else { continue }
      guard reader.number(at: offset + 2, bytes: 2) == 3, let value = reader.number(at: offset + 8, bytes: 2) else {
        return nil
      }
      self.init(rawValue: value)
      return
    }
    return nil
  }
}

/// Reads numbers, and nil where there are none.
private struct TIFFReader {
  private let bytes: ArraySlice<UInt8>
  private let isLittleEndian: Bool

  init?(_ exif: [UInt8]) {
    // Some writers add the prefix of JPEG's Exif segment, and tools that rewrite such files add it again.
    let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    var bytes = exif[...]
    while bytes.starts(with: prefix) { bytes = bytes.dropFirst(prefix.count) }
    self.bytes = bytes
    if bytes.starts(with: [0x49, 0x49, 42, 0]) {
      isLittleEndian = true
    } else if bytes.starts(with: [0x4D, 0x4D, 0, 42]) {
      isLittleEndian = false
    } else {
      return nil
    }
  }

  /// - Parameter count: 2 or 4.
  func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    var value: UInt32 = 0
    for index in 0..<count {
      let byte = bytes[bytes.startIndex + offset + (isLittleEndian ? count - 1 - index : index)]
      value = value << 8 | UInt32(byte)
    }
    return Int(exactly: value)
  }
}
