// A key frame from its bytes to rows of Y, U and V (RFC 6386).
//
//   ├ frame tag ┤ first partition ────────┤ sizes ──┤ token partition 0 ┤ … ┤ the last one ── to the end of the input
//                 header, modes             3 bytes   rows 0, P, 2P …
//                                           each
//
// Three stages, which share nothing but the batches of rows that go from one to the next:
//
//   ModeReader ── modes ──▶ FrameParser ── coefficients ──▶ Reconstruction ── rows of pixels ──▶
//
// Each can work on a batch while the others work on other ones.

/// What the frame header says, and where the partitions are.
struct Frame {
  let header: FrameHeader
  /// Of the tokens' trees; see `coefficientProbabilityIndex`.
  let coefficientProbabilities: ContiguousArray<UInt8>
  let firstPartition: Range<Int>
  /// Of the first partition: at the first macroblock's modes.
  let decoder: BoolDecoder
  let tokenPartitions: TokenPartitions
  /// What the container says that all of those have.
  let tokenBytes: Int64

  /// Reads the frame header. Nil: the bytes end before it, or before the last partition starts, and more may come.
  ///
  /// - Parameters:
  ///   - bytes: the whole input, as far as it has come.
  ///   - chunkSize: what the container says that the frame has; see below.
  ///   - offset: where the frame tag is. What follows it to the end of the input belongs to the frame: libwebp takes
  ///     no notice of the chunk's size here.
  @inline(never)
  init?(
    _ tag: FrameTag, at offset: Int, chunkSize: Int64, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    let start = offset + FrameTag.byteCount
    let end = start + tag.firstPartitionSize
    guard end <= bytes.count else {
      if isComplete { throw .truncatedFrame("the first partition is cut off", at: bytes.count) }
      return nil
    }
    var decoder = BoolDecoder()
    var probabilities = ContiguousArray(defaultCoefficientProbabilities)
    header = try FrameHeader(tag, &decoder, &probabilities, bytes.extracting(start..<end), at: offset)
    tokenPartitions = TokenPartitions(count: header.partitionCount, sizes: end)
    guard tokenPartitions.start <= bytes.count else {
      if isComplete { throw .truncatedFrame("the partition sizes are cut off", at: bytes.count) }
      return nil
    }
    // Earlier partitions would do for the first rows, but libwebp starts no sooner.
    guard tokenPartitions.range(tokenPartitions.count - 1, bytes).lowerBound < bytes.count else {
      if isComplete { throw .truncatedFrame("the last token partition is missing", at: bytes.count) }
      return nil
    }
    coefficientProbabilities = probabilities
    firstPartition = start..<end
    self.decoder = decoder
    tokenBytes = chunkSize - Int64(tag.firstPartitionSize)
  }
}
