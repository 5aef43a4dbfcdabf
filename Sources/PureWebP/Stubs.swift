struct LosslessHeader { static let byteCount = 5; let width: Int; let height: Int; let hasAlpha: Bool
  init?(_ bytes: Span<UInt8>, at offset: Int) { return nil } }
struct LosslessDecoder {
  init(width: Int, height: Int, start: Int, end: Int?, isAlpha: Bool) {}
  mutating func readHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool { false }
  mutating func decodeRows(upTo row: Int, _ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Int { 0 }
  mutating func transformRows(_ rows: Range<Int>, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int) {}
}
struct AlphaDecoder {
  init(_ bytes: Span<UInt8>, payload: Range<Int>, width: Int, height: Int) throws(WebP.DecodeError) {}
  mutating func decode(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {}
  private(set) var window: ContiguousArray<UInt8> = []
  var windowStart: Int = 0
}
