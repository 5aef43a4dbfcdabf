// The filters of PNG (PNG specification, third edition, section 9). Each row is stored as the difference from a
// prediction, byte by byte. The first byte of the row identifies the filter. With x the byte of this row, and a, b, c
// the corresponding bytes of the neighboring pixels:
//
//     c b        none x    sub x − a    up x − b    average x − ⌊(a + b) / 2⌋
//     a x        Paeth x − p, where p is the one of a, b, c that is nearest to a + b − c
//
// All loops are branch-free and run over four spans of the same length, one for x and one for each neighbor, so that
// they are compiled to vector instructions.

/// Applies a filter to each row. By default, this is the filter with the smallest sum of absolute differences (section
/// 12.7).
struct PNGFilter {
  /// The number of the filter for all rows. Nil selects a filter for each row.
  private let fixedCode: UInt8?
  /// The distance from a byte to the corresponding byte of the pixel to its left.
  private let pixelBytes: Int
  // Rows that are preceded by a pixel of zeros, which is the left neighbor of the first pixel.
  private var row: ContiguousArray<UInt8>
  private var above: ContiguousArray<UInt8>
  private var best: ContiguousArray<UInt8>
  private var candidate: ContiguousArray<UInt8>

  init(pixelBytes: Int, bytesPerRow: Int, fixedCode: UInt8? = nil) {
    self.fixedCode = fixedCode
    self.pixelBytes = pixelBytes
    row = .init(repeating: 0, count: pixelBytes + bytesPerRow)
    above = row
    best = .init(repeating: 0, count: bytesPerRow)
    candidate = best
  }

  /// Appends the number of the selected filter, and the filtered `bytes`.
  mutating func append(_ bytes: Span<UInt8>, to output: inout ContiguousArray<UInt8>) {
    swap(&row, &above)
    copy(bytes, to: &row, at: pixelBytes)
    var bestCode: UInt8 = 0
    var smallest = fixedCode == nil ? sumOfMagnitudes(bytes) : .max
    for code in 1...4 as ClosedRange<UInt8> where fixedCode == nil || fixedCode == code {
      let sum = filter(bytes, row, above, pixelBytes: pixelBytes, code: code, into: &candidate)
      if sum < smallest {
        smallest = sum
        bestCode = code
        swap(&best, &candidate)
      }
    }
    output.append(bestCode)
    if bestCode == 0 {
      output.append(contentsOf: row[pixelBytes...])
    } else {
      output.append(contentsOf: best)
    }
  }
}

/// Applies a filter, and returns the sum of the magnitudes of the differences.
///
/// - Parameters:
///   - row: `bytes`, preceded by a pixel of zeros.
///   - above: the row above, also preceded by a pixel of zeros.
private func filter(
  _ bytes: Span<UInt8>, _ row: ContiguousArray<UInt8>, _ above: ContiguousArray<UInt8>, pixelBytes: Int, code: UInt8,
  into output: inout ContiguousArray<UInt8>
) -> Int {
  let count = bytes.count
  let left = row.span.extracting(0..<count)
  let up = above.span.extracting(pixelBytes..<pixelBytes + count)
  let upLeft = above.span.extracting(0..<count)
  do {
    var differences = output.mutableSpan
    switch code {
    case 1: subtract(left, from: bytes, into: &differences)
    case 2: subtract(up, from: bytes, into: &differences)
    case 3: subtractAverage(left, up, from: bytes, into: &differences)
    default: subtractPaeth(left, up, upLeft, from: bytes, into: &differences)
    }
  }
  return sumOfMagnitudes(output.span)
}

/// The sum of the magnitudes of all bytes as signed numbers. Each magnitude is limited to 16, because only small
/// numbers compress well: the magnitude of larger ones makes no difference.
private func sumOfMagnitudes(_ bytes: Span<UInt8>) -> Int {
  var total = 0
  var start = 0
  while start < bytes.count {
    // The number of bytes whose sum fits in 16 bits: 16 · 1024 = 2¹⁴.
    let part = bytes.extracting(start..<min(bytes.count, start &+ 1024))
    var sum: Int16 = 0
    for index in 0..<part.count { sum &+= min(magnitude(Int16(Int8(bitPattern: part[index]))), 16) }
    total &+= Int(sum)
    start &+= 1024
  }
  return total
}

private func subtract(_ prediction: Span<UInt8>, from bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
  let count = output.count
  precondition(prediction.count == count && bytes.count == count)
  for index in 0..<count { output[index] = bytes[index] &- prediction[index] }
}

private func subtractAverage(
  _ left: Span<UInt8>, _ up: Span<UInt8>, from bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
) {
  let count = output.count
  precondition(left.count == count && up.count == count && bytes.count == count)
  for index in 0..<count {
    // ⌊(a + b) / 2⌋ within eight bits.
    let average = (left[index] & up[index]) &+ ((left[index] ^ up[index]) &>> 1)
    output[index] = bytes[index] &- average
  }
}

private func subtractPaeth(
  _ left: Span<UInt8>, _ up: Span<UInt8>, _ upLeft: Span<UInt8>, from bytes: Span<UInt8>,
  into output: inout MutableSpan<UInt8>
) {
  let count = output.count
  precondition(left.count == count && up.count == count && upLeft.count == count && bytes.count == count)
  for index in 0..<count {
    let (a, b, c) = (Int16(left[index]), Int16(up[index]), Int16(upLeft[index]))
    // p = a + b − c, so p − a = b − c, p − b = a − c, and p − c is their sum. Ties go to a, then to b.
    let toA = magnitude(b &- c)
    let toB = magnitude(a &- c)
    let toC = magnitude(a &+ b &- c &- c)
    let nearestOfBC = toB <= toC ? b : c
    let prediction = toA <= min(toB, toC) ? a : nearestOfBC
    output[index] = UInt8(truncatingIfNeeded: Int16(bytes[index]) &- prediction)
  }
}

@inline(__always)
private func magnitude(_ number: Int16) -> Int16 { number < 0 ? 0 &- number : number }
