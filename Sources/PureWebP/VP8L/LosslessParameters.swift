// A VP8L stream (RFC 9649, section 3): from bytes to rows of pixels.
//
//     bytes ──▶ transforms, prefix codes ──▶ symbols ──▶ pixels ──▶ inverse transforms ──▶ rows of R G B A
//               LosslessParameters           parser      ring       transforms
//
// The last three parts are independent of each other. `LosslessPipeline` owns them for an image, and `LosslessDecoder`
// for the image of an ALPH chunk.

internal import WebPFormat

/// The part of a VP8L stream that precedes its pixels: transforms, color cache and prefix codes.
struct LosslessParameters {
  let stream: LosslessStream
  let transforms: InverseTransforms
  let cache: ColorCache
  /// Positioned at the first symbol.
  let entropy: EntropyDecoder

  /// Reads the parameters after the header of a stream. A stream of an ALPH chunk has no header. Nil if more bytes are
  /// needed.
  ///
  /// - Parameter isComplete: no more bytes will arrive.
  @inline(never)  // several callers
  init?(
    _ stream: LosslessStream, width: Int, height: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    precondition(width > 0 && height > 0)
    let bytes = bytes.extracting(first: stream.end ?? bytes.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    var reader = BitReader(atBit: 8 * stream.start, of: bytes)
    do throws(ErrorCause) {
      try self.init(stream, width: width, height: height, &reader, bytes)
      if reader.bit <= endBit { return }
    } catch {
      // Bits past the end were read as zeros, so an error there is not an error of the stream.
      if reader.bit <= endBit {
        throw WebP.DecodeError(stream.corrupt(error, at: reader.bit, status: stream.headerStatus))
      }
    }
    if isComplete { throw WebP.DecodeError(stream.truncated(at: bytes.count, status: stream.headerStatus)) }
    return nil
  }

  private init(
    _ stream: LosslessStream, width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    var codedWidth = width
    var transforms = ContiguousArray<Transform>()
    var seen = 0
    while reader.read(1, from: bytes) == 1 {
      let type = reader.take(2)
      guard seen & 1 << type == 0 else { throw ErrorCause.duplicateTransform }
      seen |= 1 << type
      let transform = try Transform(type: type, width: codedWidth, height: height, &reader, bytes)
      codedWidth = transform.codedWidth
      transforms.append(transform)
    }
    self.stream = stream
    cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(width: codedWidth, height: height, cacheSize: cache.size, &reader, bytes)
    entropy = EntropyDecoder(width: codedWidth, height: height, codes: codes, position: .init(bit: reader.bit))
    self.transforms = InverseTransforms(transforms: transforms, width: width, height: height, codedWidth: codedWidth)
  }

  /// An empty ring for the pixels.
  ///
  /// - Parameter bufferedRows: the maximum number of rows that are decoded before they are used.
  func ring(bufferedRows: Int) -> PixelRing {
    let width = entropy.width
    return PixelRing(
      width: width, height: entropy.height, farthest: entropy.codes.farthestCopy(width: width),
      bufferedRows: bufferedRows, cache: cache)
  }
}
