/// What becomes of decoded symbols: pixels at once, or words for another thread.
protocol SymbolSink {
  /// Decodes symbols until those of the pixels up to `stop` are there; the last one may go further.
  mutating func decode(
    before stop: Int, with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>
  ) throws(LosslessFault)

  /// Decodes the picture's last symbol, for which the bits do not suffice, as libwebp does.
  ///
  /// - Returns: false where the symbol is not the last, or makes no sense.
  mutating func decodeLastSymbol(with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>, endBit: Int) -> Bool
}
