// The inverse filters of alpha (RFC 9649, section 2.7.1.2), and the extraction of alpha from decoded pixels.
//
// Unsafe code: A precondition checks that all rows, and the row above them, are within the span.
// Plain formula: the filters in Tests/PureWebPTests/AlphaTests.swift.

internal import WebPFormat

/// Adds the predictions of a filter to rows that are stored without gaps from `origin` on. The bytes before `origin`
/// are the finished row above them.
///
/// - Parameter top: the row whose prediction ignores the row above and starts with 0. In other rows the first byte is
///   predicted from above.
func addAlphaPredictions(
  _ filter: AlphaHeader.Filter, _ rows: Range<Int>, in alpha: inout MutableSpan<UInt8>, at origin: Int, width: Int,
  top: Int
) {
  if filter == .none { return }
  precondition(
    width > 0 && origin >= width && origin <= alpha.count && rows.count <= (alpha.count &- origin) / width)
  unsafe alpha.withUnsafeMutableBytes { alpha in
    let start = unsafe alpha.baseAddress.unsafelyUnwrapped + origin
    for y in rows {
      let row = unsafe start + (y &- rows.lowerBound) &* width
      let above = unsafe row - width
      if y == top {
        unsafe addLefts(row, width, first: 0)
      } else if filter == .horizontal {
        unsafe addLefts(row, width, first: above.byte(at: 0))
      } else if filter == .vertical {
        unsafe addAbove(row, above, width)
      } else {
        unsafe addGradients(row, above, width)
      }
    }
  }
}

/// Replaces each byte by the sum of `first` and all bytes up to it. Sixteen at a time: the vector is added to itself,
/// shifted by one, two, four and eight lanes.
private func addLefts(_ row: UnsafeMutableRawPointer, _ width: Int, first: UInt8) {
  var left = first
  var x = 0
  while x &+ 16 <= width {
    var sums = unsafe row.bytes(at: x)
    sums = sums &+ sums.movedBy1
    sums = sums &+ sums.movedBy2
    sums = sums &+ sums.movedBy4
    sums = sums &+ sums.movedBy8 &+ Bytes(repeating: left)
    unsafe row.storeBytes(of: sums, toByteOffset: x, as: Bytes.self)
    left = sums[15]
    x &+= 16
  }
  while x < width {
    left = unsafe left &+ row.byte(at: x)
    unsafe row.storeBytes(of: left, toByteOffset: x, as: UInt8.self)
    x &+= 1
  }
}

private func addAbove(_ row: UnsafeMutableRawPointer, _ above: UnsafeMutableRawPointer, _ width: Int) {
  var x = 0
  while x &+ 16 <= width {
    unsafe row.storeBytes(of: row.bytes(at: x) &+ above.bytes(at: x), toByteOffset: x, as: Bytes.self)
    x &+= 16
  }
  while x < width {
    unsafe row.storeBytes(of: row.byte(at: x) &+ above.byte(at: x), toByteOffset: x, as: UInt8.self)
    x &+= 1
  }
}

/// Adds left + above − above left, clamped to 0...255.
private func addGradients(_ row: UnsafeMutableRawPointer, _ above: UnsafeMutableRawPointer, _ width: Int) {
  var corner = unsafe Int32(above.byte(at: 0))
  var left = unsafe Int32(row.byte(at: 0) &+ above.byte(at: 0))
  unsafe row.storeBytes(of: UInt8(truncatingIfNeeded: left), toByteOffset: 0, as: UInt8.self)
  for x in 1..<max(1, width) {
    let top = unsafe Int32(above.byte(at: x))
    let prediction = max(0, min(255, left &+ (top &- corner)))
    left = unsafe (prediction &+ Int32(row.byte(at: x))) & 0xFF
    unsafe row.storeBytes(of: UInt8(truncatingIfNeeded: left), toByteOffset: x, as: UInt8.self)
    corner = top
  }
}

/// Copies the green of each pixel, which is the second of four bytes.
func copyGreens(_ count: Int, from pixels: Span<UInt8>, to alpha: inout MutableSpan<UInt8>, at offset: Int) {
  precondition(count > 0 && count <= pixels.count / 4 && offset >= 0 && offset <= alpha.count &- count)
  unsafe pixels.withUnsafeBytes { pixels in
    unsafe alpha.withUnsafeMutableBytes { alpha in
      let source = unsafe pixels.baseAddress.unsafelyUnwrapped
      let target = unsafe alpha.baseAddress.unsafelyUnwrapped + offset
      var x = 0
      while x &+ 16 <= count {
        let low = unsafe greens(source.fourPixels(x)).evens(greens(source.fourPixels(x &+ 4)))
        let high = unsafe greens(source.fourPixels(x &+ 8)).evens(greens(source.fourPixels(x &+ 12)))
        unsafe target.storeBytes(of: low.evens(high), toByteOffset: x, as: Bytes.self)
        x &+= 16
      }
      while x < count {
        unsafe target.storeBytes(
          of: source.load(fromByteOffset: 4 &* x &+ 1, as: UInt8.self), toByteOffset: x, as: UInt8.self)
        x &+= 1
      }
    }
  }
}

/// Green, in the lowest byte of each pixel.
@inline(__always)
private func greens(_ pixels: Bytes) -> Bytes {
  cast(cast(pixels, as: SIMD4<UInt32>.self) &>> 8, as: Bytes.self).and(Bytes(0x0000_00FF))
}

extension SIMD16<UInt8> {
  /// The even lanes of both: a₀ a₂ … a₁₄ b₀ … b₁₄. Compiles to uzp1 on AArch64, and to packuswb on x86-64 if the
  /// compiler knows that the odd lanes are 0.
  @inline(__always)
  fileprivate func evens(_ b: Self) -> Self {
    let a = self
    return Self(
      a[0], a[2], a[4], a[6], a[8], a[10], a[12], a[14], b[0], b[2], b[4], b[6], b[8], b[10], b[12], b[14])
  }

  // Shifts to higher lanes, and fills with zeros. Compiles to pslldq on x86-64 and to ext on AArch64.
  @inline(__always)
  fileprivate var movedBy1: Self {
    let a = self
    return Self(0, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14])
  }

  @inline(__always)
  fileprivate var movedBy2: Self {
    let a = self
    return Self(0, 0, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
  }

  @inline(__always)
  fileprivate var movedBy4: Self {
    let a = self
    return Self(0, 0, 0, 0, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11])
  }

  @inline(__always)
  fileprivate var movedBy8: Self {
    let a = self
    return Self(0, 0, 0, 0, 0, 0, 0, 0, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
  }
}
