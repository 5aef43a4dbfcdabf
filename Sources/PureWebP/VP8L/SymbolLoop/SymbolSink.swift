/// The destination of symbols: pixels, or packed symbols for another thread.
protocol SymbolSink {
  /// Decodes symbols until all pixels before `stop` are decoded. The last symbol may extend further.
  mutating func decode(
    before stop: Int, with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>
  ) throws(LosslessFormatError)

  /// Decodes the last symbol of the image as libwebp does if its bits are incomplete.
  ///
  /// - Returns: false if the symbol is not the last, or is invalid.
  mutating func decodeLastSymbol(with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>, endBit: Int) -> Bool
}
