import PureWebP

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
  public struct Exif: Sendable {
    /// A list of tags.
    @nonexhaustive
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
    @nonexhaustive
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

    package let block: ExifBlock

    /// The sizes of the types, in bytes. The index is the type: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED,
    /// SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE.
    private static let valueSizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// Creates a reader.
    ///
    /// - Parameter bytes: The block. A prefix `Exif\0\0`, as in a JPEG, is skipped.
    /// - Returns: Nil unless the block has the header of a TIFF file.
    public init?(_ bytes: [UInt8]) {
      guard let block = ExifBlock(bytes) else { return nil }
      self.block = block
    }

    /// Returns the value of a tag.
    ///
    /// - Parameters:
    ///   - tag: The number of the tag, such as 0x0110 for the model of the camera.
    ///   - directory: The list of tags. Each tag belongs to one of them.
    /// - Returns: Nil if there is no such tag, or if its value is invalid or empty. If the directory has several, the
    ///   first one.
    public func value(of tag: Int, in directory: Directory = .image) -> Value? {
      offset(of: directory).flatMap { block.entry(of: tag, inDirectoryAt: $0) }.flatMap { value(at: $0) }
    }

    /// Returns the value of a tag that is a text.
    public func text(of tag: Int, in directory: Directory = .image) -> String? {
      if case .text(let text) = value(of: tag, in: directory) { text } else { nil }
    }

    /// The orientation. Nil if the first directory has no valid one.
    public var orientation: WebP.Orientation? { block.orientation }
  }
}

// MARK: Values

extension WebP.Exif {
  /// The offset of a directory.
  private func offset(of directory: Directory) -> Int? {
    guard let main = block.firstDirectory?.offset else { return nil }
    let pointer: Int
    switch directory {
    case .image: return main
    case .exif: pointer = 0x8769
    case .gps: pointer = 0x8825
    }
    return block.entry(of: pointer, inDirectoryAt: main).flatMap { block.integer(at: $0 + 8, bytes: 4) }
  }

  /// The valid entries of the first directory, each of 12 bytes, in the order of the file.
  package var imageEntries: [(tag: Int, bytes: ArraySlice<UInt8>)] {
    guard let (directory, count) = block.firstDirectory else { return [] }
    return (0..<count).compactMap { index in
      let entry = directory + 2 + ExifBlock.entrySize * index
      guard let tag = block.integer(at: entry, bytes: 2), value(at: entry) != nil else { return nil }
      return (tag, block.tiff.dropFirst(entry).prefix(ExifBlock.entrySize))
    }
  }

  /// The bytes of a tag whose type is text, BYTE or UNDEFINED. For tags whose texts have another form than the text of
  /// ``Value``.
  func bytes(of tag: Int, in directory: Directory = .image) -> ArraySlice<UInt8>? {
    guard let entry = offset(of: directory).flatMap({ block.entry(of: tag, inDirectoryAt: $0) }),
      let (type, offset, count) = location(ofValueAt: entry), [1, 2, 7].contains(type)
    else { return nil }
    return block.tiff.dropFirst(offset).prefix(count)
  }

  /// The type of a complete entry, the offset of its value, and the number of elements.
  private func location(ofValueAt entry: Int) -> (type: Int, offset: Int, count: Int)? {
    guard var type = block.integer(at: entry + 2, bytes: 2), let count = block.integer(at: entry + 4, bytes: 4),
      count > 0, let field = block.number(at: entry + 8, bytes: 4)
    else { return nil }
    if type == 129 { type = 2 }  // UTF-8, of Exif 3.0
    guard type > 0, type < Self.valueSizes.count else { return nil }
    let size = Self.valueSizes[type]
    guard count <= block.tiff.count / size,
      let offset = count * size <= 4 ? entry + 8 : Int(exactly: field), offset <= block.tiff.count - count * size
    else { return nil }
    return (type, offset, count)
  }

  /// The value of a complete entry.
  private func value(at entry: Int) -> Value? {
    guard let (type, offset, count) = location(ofValueAt: entry) else { return nil }
    let size = Self.valueSizes[type]
    let bytes = block.tiff.dropFirst(offset).prefix(count)
    func numbers(_ bytes: Int, at position: Int = 0) -> [UInt64] {
      (0..<count).map { block.number(at: offset + size * $0 + position, bytes: bytes) ?? 0 }
    }
    switch type {
    case 2:
      let text = bytes.prefix { $0 != 0 }
      let end = text.lastIndex { $0 != UInt8(ascii: " ") }
      return end.map { .text(String(decoding: text[...$0], as: UTF8.self)) }
    case 1, 7: return .bytes(Array(bytes))
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
}

extension WebP.Metadata {
  /// The tags of `exif`. Nil if there is no Exif, or if it is not a TIFF structure.
  public var exifTags: WebP.Exif? { exif.flatMap { WebP.Exif($0) } }
}
