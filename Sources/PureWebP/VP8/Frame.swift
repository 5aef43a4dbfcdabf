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
  fileprivate let firstPartition: Range<Int>
  /// Of the first partition: at the first macroblock's modes.
  fileprivate let decoder: BoolDecoder
  fileprivate let tokenPartitions: ContiguousArray<Range<Int>>
  /// What the container says that all of those have.
  fileprivate let tokenBytes: Int64

  /// Reads the frame header. Nil: the bytes end before it, or before the last partition starts, and more may come.
  ///
  /// - Parameters:
  ///   - bytes: the whole input, as far as it has come.
  ///   - chunkSize: what the container says that the frame has; see below.
  ///   - offset: where the frame tag is. What follows it to the end of the input belongs to the frame: libwebp takes
  ///     no notice of the chunk's size here.
  init?(
    _ tag: FrameTag, at offset: Int, chunkSize: Int64, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    let start = offset + FrameTag.byteCount
    let end = start + tag.firstPartitionSize
    guard end <= bytes.count else {
      if isComplete { throw .truncatedFrame("the first partition is cut off", at: bytes.count) }
      return nil
    }
    let partition = bytes.extracting(start..<end)
    var decoder = BoolDecoder()
    header = try FrameHeader(tag, &decoder, partition, at: offset)
    let sizes = end..<end + 3 * (header.partitionCount - 1)
    guard sizes.upperBound <= bytes.count else {
      if isComplete { throw .truncatedFrame("the partition sizes are cut off", at: bytes.count) }
      return nil
    }

    tokenPartitions = Self.tokenPartitions(header.partitionCount, sizes: sizes, bytes)
    // Earlier partitions would do for the first rows, but libwebp starts no sooner.
    guard let last = tokenPartitions.last, last.lowerBound < bytes.count else {
      if isComplete { throw .truncatedFrame("the last token partition is missing", at: bytes.count) }
      return nil
    }

    firstPartition = start..<end
    self.decoder = decoder
    tokenBytes = chunkSize - Int64(tag.firstPartitionSize)
  }

  /// Section 9.5. The last partition has no size, and no end.
  private static func tokenPartitions(
    _ count: Int, sizes: Range<Int>, _ bytes: Span<UInt8>
  ) -> ContiguousArray<Range<Int>> {
    var partitions = ContiguousArray(repeating: sizes.upperBound..<Int.max, count: count)
    for index in 0..<count - 1 {
      let start = partitions[index].lowerBound
      let end = start + bytes.littleEndian24(at: sizes.lowerBound + 3 * index)
      partitions[index] = start..<end
      partitions[index + 1] = end..<Int.max
    }
    return partitions
  }
}

/// The stage that gives rows their coefficients.
struct FrameParser {
  private var tokens: TokenParser
  private let partitions: ContiguousArray<Range<Int>>

  init(_ frame: Frame) {
    tokens = TokenParser(frame.header, tokenBytes: frame.tokenBytes)
    partitions = frame.tokenPartitions
  }

  /// Parses row `y`. False: the bytes end before the row does, and more may come.
  mutating func parse(
    _ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Bool {
    let partition = partitions[y & (partitions.count - 1)]
    let end = min(partition.upperBound, bytes.count)
    if tokens.parseRow(&row, at: y, bytes.extracting(min(partition.lowerBound, end)..<end)) { return true }
    if isComplete || partition.upperBound <= bytes.count {
      throw .truncatedFrame("a token partition ends before its rows do", at: end)
    }
    return false
  }
}

/// The stage that gives rows their modes.
struct ModeReader {
  private var modes: ModeParser
  private let firstPartition: Range<Int>
  /// How many rows of macroblocks there are, and how many of them have got their modes.
  private let rows: Int
  private var rowsPrepared = 0

  init(_ frame: Frame) {
    modes = ModeParser(frame.header, decoder: frame.decoder)
    firstPartition = frame.firstPartition
    rows = frame.header.macroblockRows
  }

  /// Fills `batch` with rows, the ones behind those of the last call, that have modes and no coefficients yet.
  ///
  /// - Returns: whether there are any; or what is wrong with the first.
  mutating func prepare(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>) -> Bool {
    batch.restart(at: rowsPrepared)
    while batch.prepared < batch.rows.count, rowsPrepared < rows {
      guard modes.parseRow(&batch.rows[batch.prepared], bytes.extracting(firstPartition)) else {
        let fault = WebP.DecodeError.truncatedFrame(
          "the first partition ends before the modes do", at: firstPartition.upperBound)
        batch.end(behind: batch.prepared, with: fault)
        return true
      }
      batch.countPrepared()
      rowsPrepared += 1
    }
    return batch.prepared > 0
  }
}

extension WebP.DecodeError {
  fileprivate static func truncatedFrame(_ detail: StaticString, at offset: Int) -> Self {
    Self(.truncated, detail, chunk: .vp8, offset: offset)
  }
}
