/// The first stage of lossless decoding: parses symbols, and on one thread decodes them into pixels.
struct LosslessParser {
  private let stream: LosslessStream
  private(set) var entropy: EntropyDecoder
  /// Indicates whether libwebp decodes this stream into 8-bit samples: it is alpha, and only the palette indices have
  /// bits. In this case libwebp accepts data that end within the last symbol.
  let usesEightBitAlphaPath: Bool

  init(_ stream: LosslessStream, _ entropy: EntropyDecoder, _ cache: ColorCache, _ transforms: InverseTransforms) {
    self.stream = stream
    self.entropy = entropy
    var isIndexed = false
    if transforms.transforms.count == 1, case .colorIndexing = transforms.transforms[0].kind { isIndexed = true }
    usesEightBitAlphaPath =
      stream.isAlpha && isIndexed && cache.bits == 0 && entropy.codes.onlyGreenHasBits
  }

  /// Decodes symbols until `row` rows are in the ring or the available bytes are used up.
  ///
  /// - Returns: the number of rows in the ring. It is greater than `row` if a copy extends further, and less if bytes
  ///   are missing.
  mutating func decodeRows(
    upTo row: Int, into sink: inout some SymbolSink, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Int {
    precondition(row <= entropy.height)
    let bytes = bytes.extracting(first: stream.end ?? bytes.count)
    let endBit = stream.endBit(byteCount: bytes.count, isComplete: isComplete)
    var sufficed: Bool
    do throws(LosslessFormatError) {
      sufficed = try entropy.decodeRows(
        upTo: row, into: &sink, bytes, endBit: endBit, isComplete: isComplete && !usesEightBitAlphaPath)
      if !sufficed, usesEightBitAlphaPath { sufficed = sink.decodeLastSymbol(with: &entropy, bytes, endBit: endBit) }
    } catch {
      let bit = entropy.position.bit
      if bit > endBit { throw stream.truncated(at: bytes.count, status: 3) }
      throw stream.corrupt(error, at: bit, status: 3)
    }
    if isComplete, !sufficed { throw stream.truncated(at: bytes.count, status: 3) }
    return entropy.rowsDecoded
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

  /// Must be called before rows are decoded into pixels.
  mutating func prepareForPixels() { entropy.codes.prepareForPixels() }

  /// Must be called before rows are decoded into packed symbols.
  mutating func prepareForPacking() { entropy.codes.prepareForPacking() }

  /// The number of complete rows.
  var rowsDecoded: Int { entropy.rowsDecoded }
}

extension LosslessParser {
  /// Decodes symbols until the batch is full, the available bytes are used up, or a row is corrupt.
  @inline(never)
  mutating func parse(
    _ rows: inout ParsedRows, into sink: inout some SymbolSink, end: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) {
    while !rows.areComplete(end: end) {
      let next = min(rows.range.upperBound + ParsedRows.together, end)
      do throws(WebP.DecodeError) {
        guard try decodeRows(upTo: next, into: &sink, bytes, isComplete: isComplete) >= next else { return }
      } catch {
        return rows.end(with: error)
      }
      rows.add(upTo: next)
    }
  }
}
