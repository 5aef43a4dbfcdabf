// The filters of PNG (PNG specification, third edition, section 9): each row is written as the difference from a
// prediction, byte by byte, which the first byte of the row names. With x the byte of this row, and of the pixels
// before it
//
//   c b        none x    sub x − a    up x − b    average x − ⌊(a + b) / 2⌋
//   a x        Paeth x − whichever of a, b, c is nearest to a + b − c
//
// All loops here run over four spans of one length, the byte's own and its three neighbours', without a branch, so that
// they are compiled to vector instructions.

/// Filters row after row, each with the filter whose differences are smallest in sum (section 12.7).
struct PNGFilter {
  /// Bytes from a byte to that of the pixel to its left.
  private let pixelBytes: Int
  // Rows, each with a pixel of zeros before it, which is what the left neighbours of a first pixel are.
  private var row: ContiguousArray<UInt8>
  private var above: ContiguousArray<UInt8>
  private var best: ContiguousArray<UInt8>
  private var candidate: ContiguousArray<UInt8>

  init(pixelBytes: Int, bytesPerRow: Int) {
    self.pixelBytes = pixelBytes
    row = .init(repeating: 0, count: pixelBytes + bytesPerRow)
    above = row
    best = .init(repeating: 0, count: bytesPerRow)
    candidate = best
  }

  /// Appends the number of a filter, and `bytes` as it makes them.
  mutating func append(_ bytes: Span<UInt8>, to output: inout ContiguousArray<UInt8>) {
    swap(&row, &above)
    copy(bytes, to: &row, at: pixelBytes)
    var bestCode: UInt8 = 0
    var smallest = sumOfMagnitudes(bytes)
    for code in 1...4 as ClosedRange<UInt8> {
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

private func copy(_ bytes: Span<UInt8>, to output: inout ContiguousArray<UInt8>, at start: Int) {
  var target = output.mutableSpan
  for index in 0..<bytes.count { target[start + index] = bytes[index] }
}

/// Applies one filter, and tells how large the differences are.
///
/// - Parameters:
///   - row: `bytes` with a pixel of zeros before them.
///   - above: the row above, alike.
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

/// How far all bytes, taken as signed ones, are from zero together, each by 8 at the most: small numbers are what
/// compresses well, and how large the others are makes no difference.
private func sumOfMagnitudes(_ bytes: Span<UInt8>) -> Int {
  var total = 0
  var start = 0
  while start < bytes.count {
    // As many bytes as a sum of sixteen bits has room for: 8 · 2048 = 2¹⁴.
    let part = bytes.extracting(start..<min(bytes.count, start &+ 2048))
    var sum: Int16 = 0
    for index in 0..<part.count { sum &+= min(magnitude(Int16(Int8(bitPattern: part[index]))), 8) }
    total &+= Int(sum)
    start &+= 2048
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
    // p = a + b − c: p − a = b − c, p − b = a − c, p − c is their sum. Ties go to a, then to b.
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
