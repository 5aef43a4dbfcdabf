// The decoding of a VP8 frame (RFC 6386, section 5). Each macroblock is reconstructed as soon as its coefficients are
// parsed.

internal import WebPFormat

/// Decodes a VP8 image, and the ALPH chunk if there is one, row by row.
struct LossyImageDecoder {
  private let tag: FrameTag
  /// The position of the frame tag in the input.
  private let offset: Int
  private let chunkSize: Int64
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  /// Nil until the bytes up to the start of the last token partition are available.
  private var frame: LossyFrame?

  init(_ tag: FrameTag, _ headers: ImageHeaderParser) {
    self.tag = tag
    offset = headers.streamOffset
    chunkSize = headers.streamSize
    alphaPayload = headers.alpha
  }

  /// Decodes the rows for which all bytes are available.
  ///
  /// - Precondition: no earlier call has thrown an error.
  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(FormatError) {
    if frame == nil {
      let layout = try PartitionLayout(tag, at: offset, chunkSize: chunkSize, bytes, isComplete: isComplete)
      frame = layout.map { LossyFrame($0) }
    }
    try frame?.decodeRows(bytes, isComplete: isComplete, alphaPayload, output: &output, into: &pixels)
  }
}

/// Decodes a frame after its header, and passes the rows to OutputWriter. It is a class, so that its owner copies and
/// destroys only a reference.
private final class LossyFrame {
  private let layout: PartitionLayout
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

  private var header: FrameHeader { layout.header }

  init(_ layout: PartitionLayout) {
    self.layout = layout
    modes = layout.decoder
    let header = layout.header
    tokens = .init(repeating: BoolDecoder(), count: layout.tokenPartitions.count)
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
  ) throws(FormatError) {
    while !output.isPaused {
      if !hasModes, !readModes(bytes.extracting(layout.firstPartition)) {
        throw FormatError(.truncatedFirstPartition, chunk: .vp8, offset: layout.firstPartition.upperBound)
      }
      hasModes = true
      let index = pixels.firstRow / 16 & (layout.tokenPartitions.count &- 1)
      let partition = layout.tokenPartitions.range(index, bytes)
      let end = min(partition.upperBound, bytes.count)
      if !decodeMacroblocks(index, bytes.extracting(min(partition.lowerBound, end)..<end)) {
        if isComplete || partition.upperBound <= bytes.count {
          throw FormatError(.truncatedTokenPartition, chunk: .vp8, offset: end)
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
    let probabilities = layout.coefficientProbabilities
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
