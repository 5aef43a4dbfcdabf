// The decoding of a VP8 frame (RFC 6386, section 5). Each macroblock is reconstructed as soon as its coefficients are
// parsed.

/// Decodes a VP8 image, and the ALPH chunk if there is one, row by row.
struct LossyImageDecoder {
  private let tag: FrameTag
  /// The position of the frame tag in the input.
  private let offset: Int
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  /// Nil until the bytes up to the start of the last token partition are available.
  private var frame: LossyFrame?

  init(_ tag: FrameTag, _ headers: ImageHeaderParser) {
    self.tag = tag
    offset = headers.streamOffset
    alphaPayload = headers.alpha
  }

  /// Decodes the rows for which all bytes are available.
  ///
  /// - Precondition: no earlier call has thrown an error.
  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    if frame == nil { frame = try readHeader(bytes, isComplete: isComplete) }
    try frame?.decodeRows(bytes, isComplete: isComplete, alphaPayload, output: &output, into: &pixels)
  }

  /// Reads the frame header. Returns nil if more bytes may arrive and the header, or the bytes up to the start of the
  /// last token partition, are not complete.
  private func readHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> LossyFrame? {
    var cause = ErrorCause.truncatedFirstPartition
    let start = offset + FrameTag.byteCount
    let end = start + tag.firstPartitionSize
    if end <= bytes.count {
      var decoder = BoolDecoder()
      var probabilities = ContiguousArray(defaultCoefficientProbabilities)
      let header = try FrameHeader(tag, &decoder, &probabilities, bytes.extracting(start..<end), at: offset)
      let partitions = TokenPartitions(count: header.partitionCount, sizes: end)
      cause = .truncatedPartitionSizes
      if partitions.start <= bytes.count {
        // The earlier partitions would suffice for the first rows, but libwebp also waits for the last one.
        if partitions.range(partitions.count - 1, bytes).lowerBound < bytes.count {
          return LossyFrame(header, probabilities, modes: decoder, start..<end, partitions)
        }
        cause = .truncatedTokenPartition
      }
    }
    if isComplete { throw .truncatedFrame(cause, at: bytes.count) }
    return nil
  }
}

/// Decodes a frame after its header, and passes the rows to OutputWriter. It is a class, so that its owner copies and
/// destroys only a reference.
private final class LossyFrame {
  private let header: FrameHeader
  private let firstPartition: Range<Int>
  private let tokenPartitions: TokenPartitions
  private let probabilities: ContiguousArray<UInt8>
  /// The decoder of the first partition, at the modes of the next row.
  private var modes: BoolDecoder
  /// One decoder for each token partition. With n partitions, row r of macroblocks is in partition r modulo n (section
  /// 9.5).
  private var tokens: ContiguousArray<BoolDecoder>
  private var macroblocks: ContiguousArray<Macroblock>
  private var pixels: YUVRows
  private var alpha: AlphaDecoder?
  /// The alpha of the row above, and of the rows that a row of macroblocks finishes, one byte per pixel. 255 unless
  /// there is an ALPH chunk.
  private var alphaRows: ContiguousArray<UInt8>
  /// Indicates whether the modes of the current row of macroblocks have been parsed.
  private var hasModes = false
  /// The column of the next macroblock.
  private var column = 0
  /// The nonzero contexts of the macroblocks above, and of the previous macroblock (section 13.3).
  private var above: ContiguousArray<UInt32>
  private var left: UInt32 = 0

  init(
    _ header: FrameHeader, _ probabilities: ContiguousArray<UInt8>, modes: BoolDecoder, _ firstPartition: Range<Int>,
    _ tokenPartitions: TokenPartitions
  ) {
    self.header = header
    self.probabilities = probabilities
    self.modes = modes
    self.firstPartition = firstPartition
    self.tokenPartitions = tokenPartitions
    tokens = .init(repeating: BoolDecoder(), count: tokenPartitions.count)
    macroblocks = .init(repeating: Macroblock(), count: header.macroblockColumns)
    above = .init(repeating: 0, count: header.macroblockColumns)
    pixels = YUVRows(header)
    // The row above, one row of macroblocks, and the rows that the previous one deferred.
    alphaRows = .init(repeating: 255, count: (1 + 16 + header.deferredRows) * header.width + YUVRows.slack)
  }

  @inline(never)
  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ alphaPayload: Range<Int>?, output: inout OutputWriter,
    into target: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    while !output.isPaused {
      if !hasModes, !readModes(bytes.extracting(firstPartition)) {
        throw .truncatedFrame(.truncatedFirstPartition, at: firstPartition.upperBound)
      }
      hasModes = true
      let index = pixels.firstRow / 16 & (tokenPartitions.count &- 1)
      let partition = tokenPartitions.range(index, bytes)
      let end = min(partition.upperBound, bytes.count)
      if !decodeMacroblocks(index, bytes.extracting(min(partition.lowerBound, end)..<end)) {
        if isComplete || partition.upperBound <= bytes.count {
          throw .truncatedFrame(.truncatedTokenPartition, at: end)
        }
        return
      }
      pixels.finish(macroblocks, header)
      if let alphaPayload {
        if alpha == nil {
          alpha = try AlphaDecoder(bytes, payload: alphaPayload, width: header.width, height: header.height)
        }
        try alpha?.decode(pixels.rows, bytes, into: &alphaRows)
      }
      output.write(pixels, alpha: alphaRows.span, into: &target)
      pixels.advance()
      hasModes = false
      column = 0
      left = 0
    }
  }

  /// Parses the modes of the next row. Returns false if the first partition ends before them.
  private func readModes(_ bytes: Span<UInt8>) -> Bool {
    var left: UInt32 = 0
    var macroblocks = macroblocks.mutableSpan
    for column in 0..<macroblocks.count { modes.readModes(&macroblocks[column], left: &left, header, bytes) }
    return !modes.isExhausted(bytes)
  }

  /// Decodes the remaining macroblocks of the row. Returns false if the bytes end before the row does.
  private func decodeMacroblocks(_ partition: Int, _ bytes: Span<UInt8>) -> Bool {
    if bytes.isEmpty { return false }
    let probabilities = probabilities
    return withCoefficients { coefficients in
      while column < macroblocks.count {
        var macroblock = macroblocks[column]
        var context = NonzeroContext(above: above[column], left: left)
        var decoder = tokens[partition]
        decoder.readCoefficients(&macroblock, &context, header, probabilities.span, bytes, &coefficients)
        if decoder.isExhausted(bytes) { return false }
        pixels.reconstruct(&macroblock, at: column, &coefficients)
        macroblocks[column] = macroblock
        (above[column], left, tokens[partition]) = (context.above, context.left, decoder)
        column += 1
      }
      return true
    }
  }
}
