// The decoding of a VP8L stream (RFC 9649, section 3), row by row.

internal import WebPFormat

/// Decodes a VP8L stream after its header, or the stream of an ALPH chunk, which has no header.
struct LosslessDecoder {
  private let stream: LosslessStream
  private var memory = LosslessMemory()
  private var transforms: InverseTransforms
  private var entropy: EntropyDecoder
  private var hasHeader = false
  /// Indicates whether libwebp decodes this stream into 8-bit samples: it is alpha, and only the palette indices have
  /// bits. In this case, libwebp accepts data that ends within the last symbol.
  private var usesEightBitAlphaPath = false

  /// The number of rows that are decoded before they are output. It equals libwebp's, so that the same rows of a
  /// truncated stream are finished.
  static let rowsTogether = 16

  init(_ stream: LosslessStream, width: Int, height: Int) {
    self.stream = stream
    transforms = InverseTransforms(width: width, height: height)
    entropy = EntropyDecoder(width: width, height: height, BitReader(atBit: 0))
  }

  /// Reads the transforms and the prefix codes, unless they have been read. Returns false if more bytes are needed.
  ///
  /// - Parameter isComplete: true if no more bytes will arrive.
  @inline(never)
  mutating func readHeader(_ all: Span<UInt8>, isComplete: Bool) throws(FormatError) -> Bool {
    if hasHeader { return true }
    let bytes = all.extracting(first: stream.end ?? all.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    var reader = BitReader(atBit: 8 * stream.start)
    do throws(ErrorCause) {
      memory = LosslessMemory()
      try transforms.read(&memory, &reader, bytes, endBit: endBit)
      entropy = EntropyDecoder(width: transforms.codedWidth, height: transforms.height, reader)
      defer { reader = entropy.reader }
      try entropy.readCodes(isSubImage: false, &memory, bytes, endBit: endBit)
      if entropy.reader.bit <= endBit {
        entropy.allocateRing(bufferedRows: Self.rowsTogether, &memory)
        usesEightBitAlphaPath =
          stream.isAlpha && transforms.areOnlyIndexing && entropy.cacheBits == 0 && entropy.onlyGreenHasBits
        hasHeader = true
        return true
      }
    } catch {
      // Bits past the end are zeros, so an error that they cause is not an error of the stream.
      if error != .truncatedImage, reader.bit <= endBit {
        throw stream.corrupt(error, at: reader.bit, status: stream.headerStatus)
      }
    }
    if isComplete { throw stream.truncated(at: bytes.count, status: stream.headerStatus) }
    return false
  }

  /// Decodes symbols until `row` rows are complete, at most `rowsTogether` after the rows that have been used. Returns
  /// false if more bytes are needed.
  @inline(never)
  mutating func decodeRows(upTo row: Int, _ all: Span<UInt8>, isComplete: Bool) throws(FormatError) -> Bool {
    let bytes = all.extracting(first: stream.end ?? all.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    do throws(ErrorCause) {
      if try entropy.decode(before: row * entropy.width, &memory, bytes, endBit: endBit) { return true }
      if usesEightBitAlphaPath {
        // The last symbol may be incomplete.
        entropy.reader.end = endBit
        _ = try entropy.decode(before: entropy.decoded + 1, &memory, bytes, endBit: .max)
        if entropy.decoded == entropy.count { return true }
      }
    } catch {
      if entropy.reader.end == .max { throw stream.corrupt(error, at: entropy.reader.bit, status: 3) }
    }
    if isComplete { throw stream.truncated(at: bytes.count, status: 3) }
    return false
  }

  /// Applies the inverse transforms to the next row, `y`. The result is in `words`, from index `row` on: R G B A, with
  /// red in the lowest byte.
  mutating func makeRow(_ y: Int) {
    transforms.undo(y, entropy, &memory)
  }

  var words: ContiguousArray<UInt32> { memory.words }
  var row: Int { transforms.row }
}
