// A VP8 key frame (RFC 6386, section 9):
//
//   ├ frame tag ┤ first partition ────────┤ sizes ──┤ token partition 0 ┤ … ┤ the last one ── to the end of the input
//                 header, modes             3 bytes   rows 0, P, 2P …
//                                           each
//
// P is the number of token partitions.

/// The header of a frame, and the positions of its partitions.
public struct PartitionLayout: Sendable {
  public let header: FrameHeader
  /// See `coefficientProbabilityIndex`.
  public let coefficientProbabilities: ContiguousArray<UInt8>
  public let firstPartition: Range<Int>
  /// The decoder of the first partition, positioned at the modes of the first macroblock.
  public let decoder: BoolDecoder
  public let tokenPartitions: TokenPartitions
  /// The approximate size of all token partitions, according to the container: the size of the frame without its first
  /// partition.
  public let tokenBytes: Int64

  /// Parses the frame header. Nil if the bytes end before the last partition starts, and more may arrive.
  ///
  /// - Parameters:
  ///   - bytes: the complete input received so far.
  ///   - chunkSize: the size of the frame, according to the container.
  ///   - offset: the position of the frame tag. All bytes from there to the end of the input belong to the frame: like
  ///     libwebp, this method ignores the end of the chunk.
  @inline(never)
  public init?(
    _ tag: FrameTag, at offset: Int, chunkSize: Int64, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(FormatError) {
    let start = offset + FrameTag.byteCount
    let end = start + tag.firstPartitionSize
    guard end <= bytes.count else {
      if isComplete { throw FormatError(.truncatedFirstPartition, chunk: .vp8, offset: bytes.count) }
      return nil
    }
    var decoder = BoolDecoder()
    var probabilities = ContiguousArray(defaultCoefficientProbabilities)
    header = try FrameHeader(tag, &decoder, &probabilities, bytes.extracting(start..<end), at: offset)
    tokenPartitions = TokenPartitions(count: header.partitionCount, sizes: end)
    guard tokenPartitions.start <= bytes.count else {
      if isComplete { throw FormatError(.truncatedPartitionSizes, chunk: .vp8, offset: bytes.count) }
      return nil
    }
    // The first rows could be decoded from earlier partitions, but libwebp also waits for the last partition to begin.
    guard tokenPartitions.range(tokenPartitions.count - 1, bytes).lowerBound < bytes.count else {
      if isComplete { throw FormatError(.truncatedTokenPartition, chunk: .vp8, offset: bytes.count) }
      return nil
    }
    coefficientProbabilities = probabilities
    firstPartition = start..<end
    self.decoder = decoder
    tokenBytes = chunkSize - Int64(tag.firstPartitionSize)
  }
}
