// The VP8L decoder (RFC 9649, section 3): from bytes to rows of pixels.
//
//     bytes ──▶ transforms, prefix codes ──▶ symbols ──▶ pixels ──▶ inverse transforms ──▶ rows of R G B A
//               init                         parser      ring       transforms
//
// This type decodes the images of ALPH chunks. For a VP8L image, `LosslessPipeline` takes over the three parts, which
// are independent of each other.

/// Decodes a VP8L stream after its header, or the stream of an ALPH chunk, which has no header.
///
/// The decoder stores a position, not the bytes. The caller passes all bytes received so far to each call.
struct LosslessDecoder {
  private(set) var parser: LosslessParser
  private(set) var ring: PixelRing
  private(set) var transforms: InverseTransforms
  private var rowsTransformed = 0

  /// Reads the transforms and the prefix codes. Nil if more bytes are needed.
  ///
  /// - Parameters:
  ///   - bufferedRows: the maximum number of rows that are decoded before they are used.
  ///   - isComplete: no more bytes will arrive.
  init?(
    _ stream: LosslessStream, width: Int, height: Int, bufferedRows: Int = InverseTransforms.batch,
    _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    precondition(width > 0 && height > 0)
    let bytes = bytes.extracting(first: stream.end ?? bytes.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    var reader = BitReader(atBit: 8 * stream.start, of: bytes)
    do throws(LosslessFormatError) {
      let (entropy, cache, transforms) = try Self.readParts(width: width, height: height, &reader, bytes)
      if reader.bit <= endBit {
        parser = LosslessParser(stream, entropy, cache, transforms)
        // Symbols of alpha become pixels immediately. For an image, `LosslessPipeline` chooses the form of the symbols.
        if stream.isAlpha { parser.prepareForPixels() }
        let codedWidth = transforms.codedWidth
        ring = PixelRing(
          width: codedWidth, height: height, farthest: entropy.codes.farthestCopy(width: codedWidth),
          bufferedRows: bufferedRows, cache: cache)
        self.transforms = transforms
        return
      }
    } catch {
      // Bits past the end were read as zeros, so an error there is not an error of the stream.
      if reader.bit <= endBit { throw stream.corrupt(error, at: reader.bit, status: stream.headerStatus) }
    }
    if isComplete { throw stream.truncated(at: bytes.count, status: stream.headerStatus) }
    return nil
  }

  private static func readParts(
    width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFormatError) -> (EntropyDecoder, ColorCache, InverseTransforms) {
    var codedWidth = width
    var transforms = ContiguousArray<Transform>()
    var seen = 0
    while reader.read(1, from: bytes) == 1 {
      let type = reader.take(2)
      guard seen & 1 << type == 0 else { throw LosslessFormatError(.duplicateTransform) }
      seen |= 1 << type
      let transform = try Transform(type: type, width: codedWidth, height: height, &reader, bytes)
      codedWidth = transform.codedWidth
      transforms.append(transform)
    }
    let cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(width: codedWidth, height: height, cacheSize: cache.size, &reader, bytes)
    return (
      EntropyDecoder(width: codedWidth, height: height, codes: codes, reader), cache,
      InverseTransforms(transforms: transforms, width: width, height: height, codedWidth: codedWidth)
    )
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
