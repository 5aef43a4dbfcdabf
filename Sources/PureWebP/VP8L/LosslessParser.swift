internal import WebPFormat

/// The first stage of lossless decoding: parses symbols, and on one thread decodes them into pixels.
struct LosslessParser {
  private let stream: LosslessStream
  private(set) var entropy: EntropyDecoder
  /// Indicates whether libwebp decodes this stream into 8-bit samples: it is alpha, and only the palette indices have
  /// bits. In this case libwebp accepts data that end within the last symbol.
  let usesEightBitAlphaPath: Bool

  /// - Parameter packsSymbols: whether rows are decoded into packed symbols rather than into pixels.
  init(_ parameters: LosslessParameters, packsSymbols: Bool) {
    stream = parameters.stream
    entropy = parameters.entropy
    let transforms = parameters.transforms.transforms
    var isIndexed = false
    if transforms.count == 1, case .colorIndexing = transforms[0].kind { isIndexed = true }
    usesEightBitAlphaPath =
      stream.isAlpha && isIndexed && parameters.cache.sizeBits == 0 && entropy.codes.onlyGreenHasBits
    if packsSymbols { entropy.codes.prepareForPacking() } else { entropy.codes.prepareForPixels() }
  }

  /// Decodes symbols into pixels until `row` rows are in the ring or the available bytes are used up.
  ///
  /// - Returns: the number of rows in the ring. It is greater than `row` if a copy extends further, and less if bytes
  ///   are missing.
  mutating func decodeRows(
    upTo row: Int, into ring: inout PixelRing, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Int {
    let isLenient = usesEightBitAlphaPath
    return try decodeRows(upTo: row, bytes, isComplete: isComplete) {
      (entropy, bytes, endBit) throws(ErrorCause) in
      try entropy.decodeRows(upTo: row, bytes, endBit: endBit, isComplete: isComplete && !isLenient) {
        (entropy, stop) throws(ErrorCause) in try entropy.decodePixels(before: stop, into: &ring, bytes)
      } || isLenient && entropy.decodeLastSymbol(into: &ring, bytes, endBit: endBit)
    }
  }

  /// Packs symbols for another thread until `row` rows are complete or the available bytes are used up.
  ///
  /// - Returns: as the method above.
  mutating func packRows(
    upTo row: Int, into symbols: inout PackedSymbols, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Int {
    try decodeRows(upTo: row, bytes, isComplete: isComplete) {
      (entropy, bytes, endBit) throws(ErrorCause) in
      try entropy.decodeRows(upTo: row, bytes, endBit: endBit, isComplete: isComplete) {
        (entropy, stop) throws(ErrorCause) in try entropy.packSymbols(before: stop, into: &symbols, bytes)
      }
    }
  }

  /// - Parameter decode: decodes `row` rows of the bytes in a span. Returns false if the bits before `endBit` do not
  ///   suffice.
  private mutating func decodeRows(
    upTo row: Int, _ bytes: Span<UInt8>, isComplete: Bool,
    _ decode: (_ entropy: inout EntropyDecoder, _ bytes: Span<UInt8>, _ endBit: Int) throws(ErrorCause) -> Bool
  ) throws(WebP.DecodeError) -> Int {
    precondition(row <= entropy.height)
    let bytes = bytes.extracting(first: stream.end ?? bytes.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    do throws(ErrorCause) {
      let sufficed = try decode(&entropy, bytes, endBit)
      if sufficed || !isComplete { return entropy.rowsDecoded }
    } catch {
      let bit = entropy.position.bit
      if bit <= endBit { throw WebP.DecodeError(stream.corrupt(error, at: bit, status: 3)) }
    }
    throw WebP.DecodeError(stream.truncated(at: bytes.count, status: 3))
  }

  /// Releases the bytes that have been decoded: see `ImageDecoder`. The first eight bytes of the stream are retained;
  /// see `LosslessStream.endBit`.
  ///
  /// - Returns: the range of the released bytes in the input. Nil if they are fewer than `count`.
  mutating func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    let start = stream.start - LosslessHeader.byteCount + 8
    let end = entropy.position.bit / 8
    guard end - start >= count else { return nil }
    entropy.position.bit -= 8 * (end - start)
    return start..<end
  }

  /// The number of complete rows.
  var rowsDecoded: Int { entropy.rowsDecoded }
}

extension LosslessParser {
  /// Decodes symbols into pixels until the batch is full, the available bytes are used up, or a row is corrupt.
  ///
  /// - Parameter end: the end of the requested rows.
  mutating func parse(
    _ rows: inout ParsedRows, into ring: inout PixelRing, end: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) {
    rows.fill(end: end) { (row) throws(WebP.DecodeError) in
      try decodeRows(upTo: row, into: &ring, bytes, isComplete: isComplete)
    }
  }

  /// Packs symbols until the batch is full, the available bytes are used up, or a row is corrupt.
  mutating func parse(
    _ rows: inout ParsedRows, into symbols: inout PackedSymbols, end: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) {
    rows.fill(end: end) { (row) throws(WebP.DecodeError) in
      try packRows(upTo: row, into: &symbols, bytes, isComplete: isComplete)
    }
  }
}
