// Entropy-coded images (RFC 9649, sections 3.6 and 3.7): the picture's own pixels, before the transforms are undone,
// and the small images that steer the decoding.
//
// Pixels go into a ring of whole rows. It is as large as the picture, or as the farthest copy needs:
//
//   ring      ├ row 0 ┼ row 1 ┼ … ┼ row n − 1 ┤ slack ┤
//
// A pixel is R G B A, red in the lowest byte.

/// Decodes the symbols of one image into pixels.
struct EntropyDecoder {
  /// Where the next symbol's pixels go: all that changes while decoding, but for pixels.
  struct Place {
    /// The next bit of the stream.
    var bit: Int
    var x = 0
    var y = 0
    /// Where row `y` starts in the ring.
    var rowStart = 0
    /// How many of the last pixels are not yet entered in the cache.
    var unentered = 0
  }

  let width: Int
  let height: Int
  let codes: PrefixCodes
  var cache: ColorCache
  var ring: ContiguousArray<UInt32>
  /// The pixels of the ring, without the slack.
  let ringSize: Int
  var place: Place

  /// How many rows are whole.
  var rowsDecoded: Int { place.y }

  /// A copy may be rounded up to this many pixels, and so write behind its end.
  static let slack = 16
  /// The most bits that a symbol takes are 60: green, red, blue and alpha with the longest codes.
  static let bitsPerSymbol = 64

  private init(width: Int, height: Int, rows: Int, codes: PrefixCodes, cache: ColorCache, _ reader: BitReader) {
    self.width = width
    self.height = height
    self.codes = codes
    self.cache = cache
    ringSize = rows * width
    ring = ContiguousArray(repeating: 0, count: ringSize + Self.slack)
    place = Place(bit: reader.bit)
  }

  /// Reads the cache's size and the prefix codes of a picture (section 3.8.3).
  init(picture width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>) throws(LosslessFault) {
    let cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(width: width, height: height, cacheSize: cache.size, &reader, bytes)
    // What the farthest copy needs, and what a copy may write ahead of the rows that are still to be used.
    let pixels = BackwardReference.farthest + 2 * BackwardReference.longest
    let rows = min(height, (pixels + width - 1) / width + 1)
    self.init(width: width, height: height, rows: rows, codes: codes, cache: cache, reader)
  }

  /// Reads an image that has no transforms and no entropy image of its own.
  ///
  /// - Returns: its pixels, row by row.
  static func subImage(
    width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) -> ContiguousArray<UInt32> {
    let cache = try ColorCache(&reader, bytes)
    let codes = try PrefixCodes(single: width * height, cacheSize: cache.size, &reader, bytes)
    var decoder = EntropyDecoder(
      width: width, height: height, rows: height, codes: codes, cache: cache, reader)
    defer { reader = BitReader(atBit: decoder.place.bit, of: bytes) }
    // Bytes that lack count as zeros up to a limit that the caller judges: far beyond it there is no use in going on.
    while decoder.rowsDecoded < height, decoder.place.bit <= bytes.count * 8 + Self.bitsPerSymbol {
      try decoder.decodeSymbols(before: min(height, decoder.rowsDecoded + Self.rowsAtOnce) * width, bytes)
    }
    decoder.ring.removeLast(Self.slack)
    return decoder.ring
  }

  /// After how many rows the decoder looks whether the bytes have ended.
  private static let rowsAtOnce = 16

  /// Decodes until `row` rows are whole, or, unless these are all, until the bytes end.
  ///
  /// - Parameter endBit: where the bits end.
  /// - Returns: whether the bits sufficed.
  mutating func decodeRows(
    upTo row: Int, _ bytes: Span<UInt8>, endBit: Int, isComplete: Bool
  ) throws(LosslessFault) -> Bool {
    while place.y < row {
      let decoded = place.y * width + place.x
      let stop = min(row, place.y + Self.rowsAtOnce) * width
      if isComplete {
        try decodeSymbols(before: stop, bytes)
        if place.bit > endBit { return false }
        continue
      }
      // As many symbols as there are surely bits for; the last ones one by one.
      let symbols = (endBit - place.bit) / Self.bitsPerSymbol
      if symbols == 0, place.bit + nextSymbolBits(bytes) > endBit { return false }
      try decodeSymbols(before: min(stop, decoded + max(1, symbols)), bytes)
    }
    return true
  }
}
