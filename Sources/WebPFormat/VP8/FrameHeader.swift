// The header of a key frame (RFC 6386, sections 9.1 to 9.11 and 19.2).

/// The uncompressed bytes at the beginning of a VP8 stream (sections 9.1 and 9.2).
///
///     byte  0         1         2          3 … 5       6 … 7                8 … 9
///           ├ frame tag ────────────────┤  9D 01 2A    width, 2 bits scale  height, 2 bits scale
///           bit 0: not a key frame, 1–3: version, 4: shown, 5–23: size of the first partition
public struct FrameTag: Sendable {
  public static let byteCount = 10

  /// In pixels, 1...16383.
  public let width: Int
  /// In pixels, 1...16383.
  public let height: Int
  /// In bytes.
  public let firstPartitionSize: Int

  /// Nil in the cases that libwebp rejects: not a shown key frame of a known version, no signature, an empty image, or
  /// a first partition that is not smaller than the chunk.
  public init?(_ bytes: Span<UInt8>, at offset: Int, chunkSize: Int64) {
    guard offset <= bytes.count - Self.byteCount else { return nil }
    func byte(_ index: Int) -> Int { Int(bytes[offset + index]) }
    let tag = bytes.littleEndian24(at: offset)
    guard tag & 1 == 0, tag >> 1 & 7 <= 3, tag >> 4 & 1 == 1, tag >> 5 < chunkSize,
      byte(3) == 0x9D, byte(4) == 0x01, byte(5) == 0x2A
    else { return nil }
    // The scale bits ask the player to enlarge the image. Like libwebp, the decoder ignores them.
    width = (byte(6) | byte(7) << 8) & 0x3FFF
    height = (byte(8) | byte(9) << 8) & 0x3FFF
    firstPartitionSize = tag >> 5
    guard width > 0, height > 0 else { return nil }
  }

  /// Returns whether a shown key frame of a known version can begin with these bytes. More bytes may follow later.
  public static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    let isKnown = bytes.isEmpty || bytes[0] & 1 == 0 && bytes[0] >> 1 & 7 <= 3 && bytes[0] >> 4 & 1 == 1
    func mayHave(_ byte: UInt8, at index: Int) -> Bool { bytes.count <= index || bytes[index] == byte }
    return isKnown && mayHave(0x9D, at: 3) && mayHave(0x01, at: 4) && mayHave(0x2A, at: 5)
  }
}

/// The header fields in the first partition, before the macroblocks' modes.
public struct FrameHeader: Sendable {
  /// The size of the image, in pixels.
  public var width: Int
  public var height: Int
  public var segmentation = Segmentation()
  public var filter = FilterHeader()
  /// 1, 2, 4 or 8 (section 9.5).
  public var partitionCount = 1
  public var quantizer = QuantizerHeader()
  /// The probability that a macroblock has coefficients (section 9.11). If nil, macroblocks have no skip flag, and all
  /// of them have coefficients.
  public var skipProbability: UInt8?

  public var macroblockColumns: Int { (width + 15) >> 4 }
  public var macroblockRows: Int { (height + 15) >> 4 }

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// The segmentation of the frame (section 9.3).
public struct Segmentation: Sendable {
  public var isEnabled = false
  /// If true, each macroblock has a segment number. Otherwise all macroblocks are in segment 0.
  public var updatesMap = false
  /// If true, the segments' values replace the frame's values. Otherwise they are added to the frame's values.
  public var usesAbsoluteValues = true
  /// For each segment, its quantizer index or the difference from the frame's index: −127...127.
  public var quantizers: SIMD4<Int32> = .zero
  /// For each segment, its filter level or the difference from the frame's level: −63...63.
  public var filterLevels: SIMD4<Int32> = .zero
  /// The probabilities of the tree that codes a macroblock's segment.
  public var treeProbabilities: SIMD4<UInt8> = .init(repeating: 255)
}

/// The parameters of the loop filter (section 9.4).
public struct FilterHeader: Sendable {
  public var isSimple = false
  /// 0...63. 0 disables the filter, regardless of the segments.
  public var level: Int32 = 0
  /// 0...7
  public var sharpness: Int32 = 0
  public var usesDeltas = false
  /// Deltas by reference frame, −63...63. Key frames use only the first, intra.
  public var referenceDeltas: SIMD4<Int32> = .zero
  /// Deltas by mode, −63...63. Key frames use only the first, for macroblocks with subblock modes.
  public var modeDeltas: SIMD4<Int32> = .zero
}

/// The quantizer index of the frame, and differences from it (section 9.6).
public struct QuantizerHeader: Sendable {
  /// 0...127
  public var base: Int32 = 0
  /// The differences are −15...15.
  public var y1DC: Int32 = 0
  public var y2DC: Int32 = 0
  public var y2AC: Int32 = 0
  public var uvDC: Int32 = 0
  public var uvAC: Int32 = 0

  public init() {}
}

extension FrameHeader {
  /// The quantizer index of a segment, not clamped (section 9.3). If the frame has no segments, it is the frame's
  /// index.
  public func quantizerIndex(ofSegment segment: Int) -> Int32 {
    guard segmentation.isEnabled else { return quantizer.base }
    let value = segmentation.quantizers[segment]
    return segmentation.usesAbsoluteValues ? value : quantizer.base &+ value
  }
}

// MARK: Parsing, in the order of section 19.2

extension FrameHeader {
  /// Parses the header.
  ///
  /// - Parameters:
  ///   - decoder: positioned at the start of the first partition. Afterwards, it is at the first macroblock's modes.
  ///   - probabilities: the coefficient probabilities. The header replaces some of them.
  ///   - bytes: the first partition.
  ///   - offset: the position of the frame in the input, for errors.
  public init(
    _ tag: FrameTag, _ decoder: inout BoolDecoder, _ probabilities: inout ContiguousArray<UInt8>, _ bytes: Span<UInt8>,
    at offset: Int
  ) throws(FormatError) {
    self.init(width: tag.width, height: tag.height)
    _ = decoder.literal(2, bytes)  // color_space: there is only one; clamping_type: pixels are always clamped
    segmentation.parse(&decoder, bytes)
    if decoder.isExhausted(bytes) {
      throw FormatError(.segmentHeaderExceedsPartition, chunk: .vp8, offset: offset)
    }
    filter.parse(&decoder, bytes)
    if decoder.isExhausted(bytes) {
      throw FormatError(.filterHeaderExceedsPartition, chunk: .vp8, offset: offset)
    }
    partitionCount = 1 &<< Int(decoder.literal(2, bytes))
    quantizer.parse(&decoder, bytes)
    _ = decoder.flag(bytes)  // refresh_entropy_probs: there is no next frame
    probabilities.update(&decoder, bytes)
    if decoder.flag(bytes) { skipProbability = UInt8(truncatingIfNeeded: decoder.literal(8, bytes)) }
  }
}

extension ContiguousArray<UInt8> {
  /// Replaces the probabilities for which the header has new values (section 13.4).
  fileprivate mutating func update(_ decoder: inout BoolDecoder, _ bytes: Span<UInt8>) {
    var index = 0
    while true {
      index = decoder.indexOfTrue(in: coefficientUpdateProbabilities, from: index, bytes)
      if index == coefficientUpdateProbabilities.count { return }
      self[index] = UInt8(truncatingIfNeeded: decoder.literal(8, bytes))
      index += 1
    }
  }
}

extension Segmentation {
  fileprivate mutating func parse(_ decoder: inout BoolDecoder, _ bytes: Span<UInt8>) {
    isEnabled = decoder.flag(bytes)
    guard isEnabled else { return }
    updatesMap = decoder.flag(bytes)
    if decoder.flag(bytes) {
      usesAbsoluteValues = decoder.flag(bytes)
      quantizers = decoder.fourOptionalSigned(7, bytes)
      filterLevels = decoder.fourOptionalSigned(6, bytes)
    }
    if updatesMap {
      for node in 0..<3 where decoder.flag(bytes) {
        treeProbabilities[node] = UInt8(truncatingIfNeeded: decoder.literal(8, bytes))
      }
    }
  }
}

extension FilterHeader {
  fileprivate mutating func parse(_ decoder: inout BoolDecoder, _ bytes: Span<UInt8>) {
    isSimple = decoder.flag(bytes)
    level = decoder.literal(6, bytes)
    sharpness = decoder.literal(3, bytes)
    usesDeltas = decoder.flag(bytes)
    if usesDeltas, decoder.flag(bytes) {
      referenceDeltas = decoder.fourOptionalSigned(6, bytes)
      modeDeltas = decoder.fourOptionalSigned(6, bytes)
    }
  }
}

extension QuantizerHeader {
  fileprivate mutating func parse(_ decoder: inout BoolDecoder, _ bytes: Span<UInt8>) {
    base = decoder.literal(7, bytes)
    y1DC = decoder.optionalSigned(4, bytes)
    y2DC = decoder.optionalSigned(4, bytes)
    y2AC = decoder.optionalSigned(4, bytes)
    uvDC = decoder.optionalSigned(4, bytes)
    uvAC = decoder.optionalSigned(4, bytes)
  }
}

/// The positions of the token partitions (RFC 6386, section 9.5).
public struct TokenPartitions: Sendable {
  /// 1, 2, 4 or 8. Row r of macroblocks is in partition r modulo `count`.
  public let count: Int
  /// The position of the partition sizes. The last partition has none.
  public let sizes: Int

  public init(count: Int, sizes: Int) {
    self.count = count
    self.sizes = sizes
  }

  /// The position of the first token partition.
  public var start: Int { sizes &+ 3 &* (count &- 1) }

  /// The range of a partition, which may extend beyond the available bytes. The end of the last partition is `Int.max`.
  ///
  /// - Parameter bytes: at least the bytes before `start`.
  public func range(_ index: Int, _ bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (start, start)
    for partition in 0...index {
      start = end
      end = partition == count &- 1 ? .max : start &+ bytes.littleEndian24(at: sizes &+ 3 &* partition)
    }
    return start..<end
  }
}
