// The lines of pixels on both sides of a horizontal edge. A vector holds sixteen pixels of a line.
//
// Unsafe code: Preconditions check the rows that the loop filter reads and writes: eight columns or rows on each
// side of an edge. These always exist, because the edges at the border of the image are not filtered.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// Sixteen pixels of each line. Line 0 is the first of the macroblock.
protocol PixelLines {
  @unsafe subscript(line: Int) -> Bytes { get }
  @unsafe func store(_ pixels: Bytes, _ line: Int)
}

/// The lines of one plane.
@unsafe
struct PlaneLines: PixelLines {
  let plane: UnsafeMutableRawPointer
  let stride: Int

  @inline(__always)
  init(_ plane: UnsafeMutableRawPointer, stride: Int) {
    unsafe self.plane = unsafe plane
    unsafe self.stride = stride
  }

  @inline(__always)
  subscript(line: Int) -> Bytes { unsafe plane.loadUnaligned(fromByteOffset: line &* stride, as: Bytes.self) }

  @inline(__always)
  func store(_ pixels: Bytes, _ line: Int) {
    unsafe plane.storeBytes(of: pixels, toByteOffset: line &* stride, as: Bytes.self)
  }
}

/// Eight pixels of U, then eight of V.
@unsafe
struct ChromaLines: PixelLines {
  let u: UnsafeMutableRawPointer
  let v: UnsafeMutableRawPointer
  let stride: Int

  @inline(__always)
  init(_ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, stride: Int) {
    unsafe self.u = unsafe u
    unsafe self.v = unsafe v
    unsafe self.stride = stride
  }

  @inline(__always)
  subscript(line: Int) -> Bytes {
    let halves = unsafe SIMD2(
      u.loadUnaligned(fromByteOffset: line &* stride, as: UInt64.self),
      v.loadUnaligned(fromByteOffset: line &* stride, as: UInt64.self))
    return cast(halves, as: Bytes.self)
  }

  @inline(__always)
  func store(_ pixels: Bytes, _ line: Int) {
    let halves = cast(pixels, as: SIMD2<UInt64>.self)
    unsafe u.storeBytes(of: halves[0], toByteOffset: line &* stride, as: UInt64.self)
    unsafe v.storeBytes(of: halves[1], toByteOffset: line &* stride, as: UInt64.self)
  }
}
