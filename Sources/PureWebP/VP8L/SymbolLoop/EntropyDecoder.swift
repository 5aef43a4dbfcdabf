// Entropy-coded images (RFC 9649, sections 3.6 and 3.7): the main image before the inverse transforms, and the
// subresolution images.

internal import WebPFormat

/// Decodes the symbols of one image into pixels, or packs them for another thread.
struct EntropyDecoder {
  /// The position of the next symbol: all decoding state except for pixels.
  struct Position {
    /// The next bit of the stream.
    var bit: Int
    var x = 0
    var y = 0
    /// The alpha of the last packed literal. The initial value differs from each alpha.
    var alpha: UInt32 = 256
  }

  let width: Int
  let height: Int
  var codes: PrefixCodes
  var position: Position

  /// The number of complete rows.
  var rowsDecoded: Int { position.y }

  /// An upper limit for the bits of one pixel or backward reference. The longest pixels have 60 bits: green, red, blue
  /// and alpha with codes of 15 bits each.
  static let bitsPerSymbol = 64

  /// Reads an image that has neither transforms nor an entropy image.
  ///
  /// - Returns: its pixels, row by row.
  @inline(never)
  static func subImage(
    width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> ContiguousArray<UInt32> {
    let cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(single: width * height, cacheSize: cache.size, &reader, bytes)
    var decoder = EntropyDecoder(width: width, height: height, codes: codes, position: Position(bit: reader.bit))
    var ring = PixelRing(completeImage: width, height: height, cache: cache)
    defer { reader = BitReader(atBit: decoder.position.bit, of: bytes) }
    // Missing bytes are read as zeros. The loop ends shortly after the end of the bytes, and the caller reports the
    // error.
    while decoder.rowsDecoded < height, decoder.position.bit <= bytes.count * 8 + Self.bitsPerSymbol {
      try decoder.decodePixels(
        before: min(height, decoder.rowsDecoded + Self.rowsPerCheck) * width, into: &ring, bytes)
    }
    ring.rows.pixels.removeLast(PixelRing.slack)
    return ring.rows.pixels
  }

  /// The number of rows after which the decoder checks for the end of the bytes.
  private static let rowsPerCheck = 16

  /// Decodes until `row` rows are complete or the bits end.
  ///
  /// - Parameters:
  ///   - endBit: the end of the bits.
  ///   - isComplete: no more bits will arrive. If bits are missing, zeros are read, and the result is false.
  ///   - decode: decodes all pixels before `stop`. The last symbol may extend further.
  /// - Returns: whether the bits sufficed.
  mutating func decodeRows(
    upTo row: Int, _ bytes: Span<UInt8>, endBit: Int, isComplete: Bool,
    _ decode: (_ decoder: inout Self, _ stop: Int) throws(ErrorCause) -> Void
  ) throws(ErrorCause) -> Bool {
    while position.y < row {
      let decoded = position.y * width + position.x
      let stop = min(row, position.y + Self.rowsPerCheck) * width
      if isComplete {
        try decode(&self, stop)
        if position.bit > endBit { return false }
        continue
      }
      // Decodes only as many symbols as the available bits certainly contain. Near the end, this is one symbol at a
      // time. If the codes of the prefix code group have no bits, it is all pixels up to the next block of another
      // group.
      let symbols = (endBit - position.bit) / Self.bitsPerSymbol
      var end = decoded + max(1, symbols)
      if symbols < width {
        let bits = nextSymbolBits(bytes)
        if position.bit + bits > endBit { return false }
        if bits == 0 { end = max(end, position.y * width + codes.run(x: position.x, y: position.y, width: width).end) }
      }
      try decode(&self, min(stop, end))
    }
    return true
  }
}
