struct AlphaDecoder {
  init(_ bytes: Span<UInt8>, payload: Range<Int>, width: Int, height: Int) throws(WebP.DecodeError) {}
  mutating func decode(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {}
  private(set) var window: ContiguousArray<UInt8> = []
  var windowStart: Int = 0
}
