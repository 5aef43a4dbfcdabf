// Exif is a TIFF file without its image (TIFF 6.0, section 2; Exif 3.0, section 4.6):
//
//   byte 0   II or MM, the byte order               entry   tag    2 bytes
//        2   42                                             type   2 bytes; see valueSizes
//        4   offset of the first directory                  count  4 bytes
//                                                           value  4 bytes, or the offset of a longer value
//
//   A directory has the number of entries (2 bytes), the entries in the order of their tags, and the offset of the next
//   directory (4 bytes). The directories of Exif and GPS are values of the first directory.

extension WebP {
  /// Reads the tags of Exif metadata.
  ///
  /// ```swift
  /// if let exif = WebP.metadata(bytes).exifTags {
  ///   print(exif.model ?? "", exif.dateTaken?.description ?? "", exif.location?.latitude ?? 0)
  /// }
  /// ```
  ///
  /// Properties are nil if the tag is missing or invalid. The time of each property is proportional to the number of
  /// tags.
  public struct Exif: Hashable, Sendable {
    /// A list of tags.
    public enum Directory: Hashable, Sendable {
      /// The tags of the image, which TIFF defines too: camera, resolution, orientation, texts.
      case image
      /// Exif's own tags: exposure, times, lens.
      case exif
      /// The location.
      case gps
    }

    /// A fraction of two integers. The denominator may be 0.
    public struct Fraction: Hashable, Sendable {
      /// The number above the line.
      public let numerator: Int64
      /// The number below the line.
      public let denominator: Int64

      /// The quotient. Nil if the denominator is 0.
      public var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }
    }

    /// The value of a tag.
    public enum Value: Hashable, Sendable {
      /// The text to the first null byte, without spaces at its end. Bytes that are not UTF-8 become U+FFFD.
      case text(String)
      /// Numbers of 16 or 32 bits, or signed numbers of 8 bits.
      case integers([Int64])
      /// Fractions.
      case fractions([Fraction])
      /// Floating-point numbers.
      case reals([Double])
      /// Bytes, also if the file declares their meaning as undefined.
      case bytes([UInt8])

      /// The first number. A fraction is rounded down.
      public var integer: Int? {
        switch self {
        case .integers(let numbers): numbers.first.flatMap { Int(exactly: $0) }
        case .bytes(let bytes): bytes.first.map { Int($0) }
        case .fractions(let numbers): numbers.first.flatMap { $0.value }.flatMap { Int(exactly: $0.rounded(.down)) }
        case .reals, .text: nil
        }
      }
    }

    /// The complete block, including the prefixes.
    var bytes: [UInt8]
    /// The index in `bytes` from which TIFF counts its offsets.
    let start: Int
    package let isLittleEndian: Bool

    static let entrySize = 12
    /// The sizes of the types, in bytes. The index is the type: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED,
    /// SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE.
    private static let valueSizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// Creates a reader.
    ///
    /// - Parameter bytes: The block. A prefix `Exif\0\0`, as in a JPEG, is skipped.
    /// - Returns: Nil unless the block has the header of a TIFF file.
    public init?(_ bytes: [UInt8]) {
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

    /// Returns the value of a tag.
    ///
    /// - Parameters:
    ///   - tag: The number of the tag, such as 0x0110 for the model of the camera.
    ///   - directory: The list of tags. Each tag belongs to one of them.
    /// - Returns: Nil if there is no such tag, or if its value is invalid or empty. If the directory has several, the
    ///   first one.
    public func value(of tag: Int, in directory: Directory = .image) -> Value? {
      offset(of: directory).flatMap { entry(of: tag, inDirectoryAt: $0) }.flatMap { value(at: $0) }
    }

    /// Returns the value of a tag that is a text.
    public func text(of tag: Int, in directory: Directory = .image) -> String? {
      if case .text(let text) = value(of: tag, in: directory) { text } else { nil }
    }

    /// The number of bytes before the TIFF header. Some writers store the prefix of JPEG's Exif segment, once or
    /// repeatedly.
    static func prefixCount(of bytes: [UInt8]) -> Int {
      let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
      var count = 0
      while bytes[count...].starts(with: prefix) { count += prefix.count }
      return count
    }
  }
}

// MARK: Directories

extension WebP.Exif {
  /// The offset of a directory.
  private func offset(of directory: Directory) -> Int? {
    guard let main = integer(at: 4, bytes: 4), main >= 8 else { return nil }
    let pointer: Int
    switch directory {
    case .image: return main
    case .exif: pointer = 0x8769
    case .gps: pointer = 0x8825
    }
    return entry(of: pointer, inDirectoryAt: main).flatMap { integer(at: $0 + 8, bytes: 4) }
  }

  /// The offset of a tag's first entry. Nil if there is none before the end of the block.
  func entry(of tag: Int, inDirectoryAt directory: Int) -> Int? {
    guard let count = integer(at: directory, bytes: 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + Self.entrySize * index
      guard let found = integer(at: entry, bytes: 2) else { return nil }
      if found == tag { return entry }
    }
    return nil
  }

  /// The offset of the first directory and its number of entries.
  var firstDirectory: (offset: Int, count: Int)? {
    guard let directory = offset(of: .image), let count = integer(at: directory, bytes: 2) else { return nil }
    return (directory, count)
  }

  /// The block without prefixes, as a TIFF file begins with it.
  package var block: ArraySlice<UInt8> { bytes[start...] }

  /// The valid entries of the first directory, each of 12 bytes, in the order of the file.
  package var imageEntries: [(tag: Int, bytes: ArraySlice<UInt8>)] {
    guard let (directory, count) = firstDirectory else { return [] }
    return (0..<count).compactMap { index in
      let entry = directory + 2 + Self.entrySize * index
      guard let tag = integer(at: entry, bytes: 2), value(at: entry) != nil else { return nil }
      return (tag, bytes[start + entry..<start + entry + Self.entrySize])
    }
  }

  private func value(at entry: Int) -> Value? {
    guard var type = integer(at: entry + 2, bytes: 2), let count = integer(at: entry + 4, bytes: 4), count > 0 else {
      return nil
    }
    if type == 129 { type = 2 }  // UTF-8, of Exif 3.0
    guard type > 0, type < Self.valueSizes.count else { return nil }
    let size = Self.valueSizes[type]
    guard count <= (bytes.count - start) / size,
      let offset = count * size <= 4 ? entry + 8 : integer(at: entry + 8, bytes: 4),
      offset <= bytes.count - start - count * size
    else { return nil }
    func numbers(_ bytes: Int, at position: Int = 0) -> [UInt64] {
      (0..<count).map { number(at: offset + size * $0 + position, bytes: bytes) ?? 0 }
    }
    switch type {
    case 2:
      let text = bytes[(start + offset)...].prefix(count).prefix { $0 != 0 }
      let end = text.lastIndex { $0 != UInt8(ascii: " ") }
      return end.map { .text(String(decoding: text[...$0], as: UTF8.self)) }
    case 1, 7: return .bytes(Array(bytes[(start + offset)...].prefix(count)))
    case 5, 10:
      return .fractions(
        zip(numbers(4), numbers(4, at: 4)).map { numerator, denominator in
          type == 5
            ? Fraction(numerator: Int64(numerator), denominator: Int64(denominator))
            : Fraction(
              numerator: Int64(Int32(truncatingIfNeeded: numerator)),
              denominator: Int64(Int32(truncatingIfNeeded: denominator)))
        })
    case 11: return .reals(numbers(4).map { Double(Float(bitPattern: UInt32($0))) })
    case 12: return .reals(numbers(8).map { Double(bitPattern: $0) })
    default:
      // SBYTE, SSHORT and SLONG are negative if their highest bit is set.
      let unused = type >= 6 ? Int64.bitWidth - 8 * size : 0
      return .integers(numbers(size).map { (Int64(bitPattern: $0) << unused) >> unused })
    }
  }

  /// A number that is not negative. Nil if it is not in the block, or does not fit an `Int`.
  ///
  /// - Parameters:
  ///   - offset: The offset from the TIFF header.
  ///   - count: The number of bytes.
  func integer(at offset: Int, bytes count: Int) -> Int? {
    number(at: offset, bytes: count).flatMap { Int(exactly: $0) }
  }

  private func number(at offset: Int, bytes count: Int) -> UInt64? {
    guard offset >= 0, offset <= bytes.count - start - count else { return nil }
    var value: UInt64 = 0
    for index in 0..<count {
      value = value << 8 | UInt64(bytes[start + offset + (isLittleEndian ? count - 1 - index : index)])
    }
    return value
  }
}

extension WebP.Metadata {
  /// The tags of ``exif``. Nil if there is no Exif, or if it is not a TIFF structure.
  public var exifTags: WebP.Exif? { exif.flatMap { WebP.Exif($0) } }

  /// The Exif block as PNG and TIFF store it: without the prefixes of JPEG's Exif segment.
  package var exifWithoutPrefix: ArraySlice<UInt8>? { exif.map { $0[WebP.Exif.prefixCount(of: $0)...] } }
}
