// The VP8L decoder (RFC 9649, section 3): from bytes to rows of pixels.
//
//   bytes ──▶ transforms, prefix codes ──▶ symbols ──▶ ring ──▶ transforms undone ──▶ rows of R G B A
//             readHeader                   parser               transforms
//
// The three are separate: each can be called when there is something for it to do, and the last two share nothing but
// the ring.

/// Decodes a VP8L stream from behind its header, or the one in an alpha chunk, which has no header.
///
/// The decoder holds a place in the bytes, not the bytes: each call is given all that have come so far, from the same
/// start.
struct LosslessDecoder {
  let width: Int
  let height: Int
  private let stream: LosslessStream
  private(set) var parser: LosslessParser?
  private(set) var transforms: InverseTransforms?
  private var rowsTransformed = 0

  /// - Parameters:
  ///   - start: where in the input the first bit is, behind the header.
  ///   - end: where the stream ends. Nil: with the input; the size of a VP8L chunk does not bound it.
  ///   - isAlpha: whether this is the picture of an alpha chunk.
  init(width: Int, height: Int, start: Int, end: Int?, isAlpha: Bool) {
    precondition(width > 0 && height > 0 && start >= 0)
    self.width = width
    self.height = height
    stream = LosslessStream(start: start, end: end, isAlpha: isAlpha)
  }

  /// Reads the transforms and the prefix codes.
  ///
  /// - Parameter isComplete: whether no more bytes will come.
  /// - Returns: false if more bytes are needed: nothing has changed then.
  mutating func readHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    let bytes = bytes.extracting(first: stream.end ?? bytes.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    var reader = BitReader(atBit: 8 * stream.start, of: bytes)
    var fault: LosslessFault?
    do throws(LosslessFault) {
      let (entropy, transforms) = try readParts(&reader, bytes)
      if reader.bit <= endBit {
        parser = LosslessParser(stream, entropy, transforms)
        self.transforms = transforms
        return true
      }
    } catch {
      fault = error
    }
    // Past the end all bits were taken for zeros: a fault there is none of the stream.
    if reader.bit > endBit {
      if isComplete { throw stream.truncated(at: bytes.count, status: stream.isAlpha ? 1 : 3) }
      return false
    }
    throw stream.corrupt(fault, at: reader.bit, status: stream.isAlpha ? 1 : 3)
  }

  private func readParts(
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) -> (EntropyDecoder, InverseTransforms) {
    var codedWidth = width
    var transforms = ContiguousArray<Transform>()
    var seen = 0
    while reader.read(1, from: bytes) == 1 {
      let type = reader.take(2)
      guard seen & 1 << type == 0 else { throw LosslessFault("the same transform twice") }
      seen |= 1 << type
      let transform = try Transform(type: type, width: codedWidth, height: height, &reader, bytes)
      codedWidth = transform.codedWidth
      transforms.append(transform)
    }
    let entropy = try EntropyDecoder(picture: codedWidth, height: height, &reader, bytes)
    return (
      entropy, InverseTransforms(transforms: transforms, width: width, height: height, codedWidth: codedWidth)
    )
  }

  /// Decodes symbols until `row` rows are in the ring, or the bytes that have come are used up.
  ///
  /// - Parameter row: at most `InverseTransforms.batch` more than have been transformed.
  /// - Returns: how many rows are there: more than `row` if a copy went further, fewer if bytes are missing.
  mutating func decodeRows(
    upTo row: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Int {
    precondition(row <= rowsTransformed + InverseTransforms.batch)
    return try parser!.decodeRows(upTo: row, bytes, isComplete: isComplete)
  }

  /// Undoes the transforms of rows that are in the ring, `InverseTransforms.batch` at the most.
  ///
  /// - Parameters:
  ///   - rows: the ones behind those of the last call.
  ///   - pixels: where they are written, as R G B A bytes, from `offset` on with `stride` bytes from row to row.
  mutating func transformRows(_ rows: Range<Int>, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int) {
    precondition(rows.lowerBound == rowsTransformed && rows.upperBound <= parser!.rowsDecoded)
    rowsTransformed = rows.upperBound
    let ring = parser!.ring
    transforms!.undo(rows, of: ring, into: &pixels, offset: offset, stride: stride)
  }

  /// See `LosslessParser`.
  var wouldDecodeIntoBytes: Bool { parser!.wouldDecodeIntoBytes }
}
