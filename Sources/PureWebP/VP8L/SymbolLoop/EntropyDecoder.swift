// Entropy-coded images (RFC 9649, sections 3.6 and 3.7): the picture's own pixels, before the transforms are undone,
// and the small images that steer the decoding.

/// Decodes the symbols of one image: into pixels, or into words of which another thread makes pixels.
struct EntropyDecoder {
  /// Where the next symbol's pixels go: all that changes while decoding, but for pixels.
  struct Place {
    /// The next bit of the stream.
    var bit: Int
    var x = 0
    var y = 0
    /// What the symbols before say of alpha, where other threads make pixels of them; at first nothing.
    var alpha: UInt32 = 256
  }

  let width: Int
  let height: Int
  var codes: PrefixCodes
  var place: Place

  /// How many rows are whole.
  var rowsDecoded: Int { place.y }

  /// The most bits that a symbol takes are 60: green, red, blue and alpha with the longest codes.
  static let bitsPerSymbol = 64

  /// - Parameter reader: at the first symbol.
  init(width: Int, height: Int, codes: PrefixCodes, _ reader: BitReader) {
    self.width = width
    self.height = height
    self.codes = codes
    place = Place(bit: reader.bit)
  }

  /// Reads an image that has no transforms and no entropy image of its own.
  ///
  /// - Returns: its pixels, row by row.
  @inline(never)
  static func subImage(
    width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) -> ContiguousArray<UInt32> {
    let cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(single: width * height, cacheSize: cache.size, &reader, bytes)
    var decoder = EntropyDecoder(width: width, height: height, codes: codes, reader)
    var ring = PixelRing(whole: width, height: height, cache: cache)
    defer { reader = BitReader(atBit: decoder.place.bit, of: bytes) }
    // Bytes that lack count as zeros up to a limit that the caller judges: far beyond it there is no use in going on.
    while decoder.rowsDecoded < height, decoder.place.bit <= bytes.count * 8 + Self.bitsPerSymbol {
      try decoder.decodePixels(
        before: min(height, decoder.rowsDecoded + Self.rowsAtOnce) * width, into: &ring, bytes)
    }
    ring.rows.pixels.removeLast(PixelRing.slack)
    return ring.rows.pixels
  }

  /// After how many rows the decoder looks whether the bytes have ended.
  private static let rowsAtOnce = 16

  /// Decodes until `row` rows are whole or the bits end.
  ///
  /// - Parameters:
  ///   - endBit: where the bits end.
  ///   - isComplete: no bits will follow: those that lack are taken for zeros, and the result tells.
  /// - Returns: whether the bits sufficed.
  mutating func decodeRows(
    upTo row: Int, into sink: inout some SymbolSink, _ bytes: Span<UInt8>, endBit: Int, isComplete: Bool
  ) throws(LosslessFault) -> Bool {
    while place.y < row {
      let decoded = place.y * width + place.x
      let stop = min(row, place.y + Self.rowsAtOnce) * width
      if isComplete {
        try sink.decode(before: stop, with: &self, bytes)
        if place.bit > endBit { return false }
        continue
      }
      // As many symbols as there are surely bits for; the last ones one by one, but for those that take none: of such a
      // group there may be any number.
      let symbols = (endBit - place.bit) / Self.bitsPerSymbol
      var end = decoded + max(1, symbols)
      if symbols < width {
        let bits = nextSymbolBits(bytes)
        if place.bit + bits > endBit { return false }
        if bits == 0 { end = max(end, place.y * width + codes.run(x: place.x, y: place.y, width: width).end) }
      }
      try sink.decode(before: min(stop, end), with: &self, bytes)
    }
    return true
  }
}
