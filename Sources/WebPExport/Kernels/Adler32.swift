// The checksum of zlib streams (RFC 1950, section 8): a is 1 and the sum of all bytes, b the sum of a after each byte,
// both modulo 65521. Sixteen bytes are added at a time, with less than half of the instructions of zlib.
//
// Unsafe code: Rows are from `CheckedRows`, and have the vectors that are read.
// Plain formula: `plainAdler32` in Tests/WebPExportTests/BlockDeflaterTests.swift.

internal import WebPFormat

/// The checksum of zlib streams.
func adler32(_ bytes: Span<UInt8>) -> UInt32 {
  var (a, b, start) = (1, 0, 0)
  while bytes.count - start >= 16 {
    // Words hold the sums of 23 vectors: 255 · 23 · 22 / 2 < 65536.
    let count = min(23, (bytes.count - start) / 16)
    let sums = unsafe VectorSums(bytes.row(at: start, count: 16 * count), count)
    b += 16 * count * a
    for lane in 0..<8 {
      let (low, high) = (Int(sums.low[lane]), Int(sums.high[lane]))
      a += low + high
      b += 16 * (Int(sums.lowBefore[lane]) + Int(sums.highBefore[lane])) + (16 - lane) * low + (8 - lane) * high
    }
    (a, b) = (a % 65521, b % 65521)
    start += 16 * count
  }
  for index in start..<bytes.count {
    a += Int(bytes[index])
    b += a
  }
  return UInt32((b % 65521) << 16 | (a % 65521))
}

/// The sum of each byte of vectors, and the sum of the sums that precede each vector.
private struct VectorSums {
  private(set) var low = Words()
  private(set) var high = Words()
  private(set) var lowBefore = Words()
  private(set) var highBefore = Words()

  @inline(__always)
  init(_ bytes: UnsafeRawPointer, _ count: Int) {
    for index in 0..<count {
      let vector = unsafe bytes.bytes(at: 16 &* index)
      lowBefore = lowBefore &+ low
      highBefore = highBefore &+ high
      low = low &+ cast(vector.interleavedLow(.zero), as: Words.self)
      high = high &+ cast(vector.interleavedHigh(.zero), as: Words.self)
    }
  }
}
