// The VP8L decoder (RFC 9649, section 3): from bytes to rows of pixels.
//
//   bytes ──▶ transforms, prefix codes ──▶ symbols ──▶ ring ──▶ transforms undone ──▶ rows of R G B A
//             readHeader                   decodeRows           transformRows
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
  /// Where the first bit is, behind the header.
  private let start: Int
  /// Where the bytes end. Nil: at the end of the input.
  private let end: Int?
  private let isAlpha: Bool

  private(set) var entropy: EntropyDecoder?
  private var transforms: InverseTransforms?
  private var rowsTransformed = 0

  /// - Parameters:
  ///   - start: where in the input the first bit is, behind the header.
  ///   - end: where the stream ends. Nil: with the input; the size of a VP8L chunk does not bound it.
  ///   - isAlpha: whether this is the picture of an alpha chunk.
  init(width: Int, height: Int, start: Int, end: Int?, isAlpha: Bool) {
    precondition(width > 0 && height > 0 && start >= 0)
    self.width = width
    self.height = height
    self.start = start
    self.end = end
    self.isAlpha = isAlpha
  }

  /// Reads the transforms and the prefix codes.
  ///
  /// - Parameter isComplete: whether no more bytes will come.
  /// - Returns: false if more bytes are needed: nothing has changed then.
  mutating func readHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    let bytes = bytes.extracting(first: end ?? bytes.count)
    let endBit = endBit(byteCount: bytes.count, isComplete: isComplete)
    var reader = BitReader(atBit: 8 * start, of: bytes)
    var fault: LosslessFault?
    do throws(LosslessFault) {
      let (entropy, transforms) = try readParts(&reader, bytes)
      if reader.bit <= endBit {
        self.entropy = entropy
        self.transforms = transforms
        return true
      }
    } catch {
      fault = error
    }
    // Past the end all bits were taken for zeros: a fault there is none of the stream.
    if reader.bit > endBit {
      if isComplete { throw truncated(at: bytes.count, status: isAlpha ? 1 : 3) }
      return false
    }
    throw corrupt(fault, at: reader.bit, status: isAlpha ? 1 : 3)
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
    precondition(row <= height && row <= rowsTransformed + InverseTransforms.batch)
    let bytes = bytes.extracting(first: end ?? bytes.count)
    let endBit = endBit(byteCount: bytes.count, isComplete: isComplete)
    var sufficed: Bool
    do throws(LosslessFault) {
      sufficed = try entropy!.decodeRows(
        upTo: row, bytes, endBit: endBit, isComplete: isComplete && !wouldDecodeIntoBytes)
      if !sufficed, wouldDecodeIntoBytes { sufficed = entropy!.decodeLastSymbol(bytes, endBit: endBit) }
    } catch {
      let bit = entropy!.place.bit
      if bit > endBit { throw truncated(at: bytes.count, status: 3) }
      throw corrupt(error, at: bit, status: 3)
    }
    if isComplete, !sufficed { throw truncated(at: bytes.count, status: 3) }
    return entropy!.rowsDecoded
  }

  /// Whether libwebp would decode into bytes: the stream is that of alpha, with nothing but indices into a palette. It
  /// then accepts data that end within the last symbol.
  var wouldDecodeIntoBytes: Bool {
    guard isAlpha, let transforms, let entropy, transforms.transforms.count == 1 else { return false }
    guard case .colorIndexing = transforms.transforms[0].kind else { return false }
    return entropy.cache.bits == 0 && entropy.codes.onlyGreenHasBits
  }

  /// Undoes the transforms of rows that are in the ring, `InverseTransforms.batch` at the most.
  ///
  /// - Parameters:
  ///   - rows: the ones behind those of the last call.
  ///   - pixels: where they are written, as R G B A bytes, from `offset` on with `stride` bytes from row to row.
  mutating func transformRows(_ rows: Range<Int>, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int) {
    precondition(rows.lowerBound == rowsTransformed && rows.upperBound <= entropy!.rowsDecoded)
    rowsTransformed = rows.upperBound
    // The ring may wrap among the rows.
    var rest = rows
    while !rest.isEmpty {
      let start = rest.lowerBound * entropy!.width % entropy!.ringSize
      let here = rest.prefix((entropy!.ringSize - start) / entropy!.width)
      transforms!.undo(
        here, of: entropy!.ring, from: start, into: &pixels,
        offset: offset + (here.lowerBound - rows.lowerBound) * stride, stride: stride)
      rest = here.upperBound..<rest.upperBound
    }
  }

  /// Where the bits end, for the bytes that there are.
  private func endBit(byteCount: Int, isComplete: Bool) -> Int {
    // libwebp's reader starts with eight bytes, and takes those that a shorter stream lacks for zeros.
    let first = isAlpha ? start : start - LosslessHeader.byteCount
    return 8 * (isComplete ? max(byteCount, first + 8) : byteCount)
  }

  private func truncated(at offset: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(
      .truncated, "the data end before the picture", chunk: isAlpha ? .alph : .vp8L, offset: offset, status: status)
  }

  private func corrupt(_ fault: LosslessFault?, at bit: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(
      .corrupt, fault?.detail ?? "", chunk: isAlpha ? .alph : .vp8L, offset: bit / 8, status: status)
  }
}
