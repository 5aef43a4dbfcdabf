/// Decodes the VP8L stream of an ALPH chunk on the caller's thread.
///
/// The decoder stores a position, not the bytes. The caller passes all bytes received so far to each call.
struct LosslessDecoder {
  private(set) var parser: LosslessParser
  private(set) var ring: PixelRing
  private var transforms: InverseTransforms
  private var rowsTransformed = 0

  init(_ parameters: LosslessParameters) {
    parser = LosslessParser(parameters, packsSymbols: false)
    ring = parameters.ring(bufferedRows: InverseTransforms.batch)
    transforms = parameters.transforms
  }

  /// Decodes symbols until `row` rows are in the ring or the available bytes are used up.
  ///
  /// - Parameter row: at most `InverseTransforms.batch` rows after the transformed ones.
  /// - Returns: the number of rows in the ring. It is greater than `row` if a copy extends further, and less if bytes
  ///   are missing.
  mutating func decodeRows(
    upTo row: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Int {
    precondition(row <= rowsTransformed + InverseTransforms.batch)
    return try parser.decodeRows(upTo: row, into: &ring, bytes, isComplete: isComplete)
  }

  /// Applies the inverse transforms to at most `InverseTransforms.batch` rows that are in the ring.
  ///
  /// - Parameters:
  ///   - rows: must follow the rows of the last call.
  ///   - pixels: receives the rows as R G B A bytes, from `offset` on, `stride` bytes apart.
  mutating func transformRows(_ rows: Range<Int>, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int) {
    precondition(rows.lowerBound == rowsTransformed && rows.upperBound <= parser.rowsDecoded)
    rowsTransformed = rows.upperBound
    transforms.undo(rows, of: ring.rows, into: &pixels, offset: offset, stride: stride)
  }

  /// See `LosslessParser`.
  var usesEightBitAlphaPath: Bool { parser.usesEightBitAlphaPath }
}
