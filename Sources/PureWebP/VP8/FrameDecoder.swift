// A key frame from its bytes to rows of Y, U and V (RFC 6386), one row of macroblocks at a time.
//
//   ├ frame tag ┤ first partition ────────┤ sizes ──┤ token partition 0 ┤ … ┤ the last one ── to the end of the input
//                 header, modes             3 bytes   rows 0, P, 2P …
//                                           each

struct FrameDecoder {
  private(set) var header: FrameHeader
  private(set) var reconstruction: Reconstruction
  /// How many rows of macroblocks have been decoded.
  private(set) var macroblockRow = 0

  private var modes: ModeParser
  private var tokens: TokenParser
  private let firstPartition: Range<Int>
  private let tokenPartitions: ContiguousArray<Range<Int>>
  private var row: MacroblockRow
  private var hasModes = false

  /// Reads the frame header. Nil: the bytes end before it, or before the last partition starts, and more may come.
  ///
  /// - Parameters:
  ///   - bytes: the whole input, as far as it has come.
  ///   - chunkSize: what the container says that the frame has; see below.
  ///   - offset: where the frame tag is. What follows it to the end of the input belongs to the frame: libwebp takes
  ///     no notice of the chunk's size here.
  init?(
    _ tag: FrameTag, at offset: Int, chunkSize: Int64, _ bytes: Span<UInt8>, isComplete: Bool,
    bypassesLoopFilter: Bool, ditheringStrength: Int, shownColumns: Range<Int>
  ) throws(WebP.DecodeError) {
    let start = offset + FrameTag.byteCount
    let end = start + tag.firstPartitionSize
    guard end <= bytes.count else {
      if isComplete { throw Self.truncated("the first partition is cut off", at: bytes.count) }
      return nil
    }
    let partition = bytes.extracting(start..<end)
    var decoder = BoolDecoder()
    let header = try FrameHeader(tag, &decoder, partition, at: offset)
    let sizes = end..<end + 3 * (header.partitionCount - 1)
    guard sizes.upperBound <= bytes.count else {
      if isComplete { throw Self.truncated("the partition sizes are cut off", at: bytes.count) }
      return nil
    }

    let tokenPartitions = Self.tokenPartitions(header.partitionCount, sizes: sizes, bytes)
    // Earlier partitions would do for the first rows, but libwebp starts no sooner.
    guard let last = tokenPartitions.last, last.lowerBound < bytes.count else {
      if isComplete { throw Self.truncated("the last token partition is missing", at: bytes.count) }
      return nil
    }

    firstPartition = start..<end
    self.tokenPartitions = tokenPartitions
    self.header = header
    modes = ModeParser(header, decoder: decoder)
    tokens = TokenParser(header, tokenBytes: chunkSize - Int64(tag.firstPartitionSize))
    row = MacroblockRow(columns: header.macroblockColumns)
    reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: bypassesLoopFilter, ditheringStrength: ditheringStrength,
      shownColumns: shownColumns)
  }

  /// Section 9.5. The last partition has no size, and no end.
  private static func tokenPartitions(
    _ count: Int, sizes: Range<Int>, _ bytes: Span<UInt8>
  ) -> ContiguousArray<Range<Int>> {
    var partitions: ContiguousArray<Range<Int>> = []
    var start = sizes.upperBound
    for index in 0..<count - 1 {
      let size = sizes.lowerBound + 3 * index
      let end = start + (Int(bytes[size]) | Int(bytes[size + 1]) << 8 | Int(bytes[size + 2]) << 16)
      partitions.append(start..<end)
      start = end
    }
    partitions.append(start..<Int.max)
    return partitions
  }

  /// Decodes the next row of macroblocks, after which `reconstruction.output` holds the rows that are finished.
  ///
  /// - Returns: false: the bytes end before the row does, and more may come.
  mutating func decodeRow(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    if !hasModes {
      guard modes.parseRow(&row, bytes.extracting(firstPartition)) else {
        throw Self.truncated("the first partition ends before the modes do", at: firstPartition.upperBound)
      }
      hasModes = true
    }
    let partition = tokenPartitions[macroblockRow & (tokenPartitions.count - 1)]
    let end = min(partition.upperBound, bytes.count)
    let isThere = tokens.parseRow(&row, at: macroblockRow, bytes.extracting(min(partition.lowerBound, end)..<end))
    guard isThere else {
      if isComplete || partition.upperBound <= bytes.count {
        throw Self.truncated("a token partition ends before its rows do", at: end)
      }
      return false
    }
    reconstruction.reconstruct(&row, at: macroblockRow)
    macroblockRow += 1
    hasModes = false
    return true
  }

  private static func truncated(_ detail: StaticString, at offset: Int) -> WebP.DecodeError {
    WebP.DecodeError(.truncated, detail, chunk: .vp8, offset: offset)
  }
}
