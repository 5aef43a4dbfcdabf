// Copies of pixels in the ring, for backward references.
//
// Unsafe code: A precondition checks distance, position and ring. Copies may write fifteen pixels more, which the
// ring has as slack.
// Plain formula: `PlainLosslessStream` in Tests/TestSupport/LosslessStream.swift.

internal import WebPFormat

extension MutableSpan<UInt32> {
  /// Copies `length` pixels from `distance` pixels before `position` to `position`. The first `ringSize` pixels are a
  /// ring.
  ///
  /// If the two ranges overlap, the pixels repeat, as if they were copied one by one. Up to fifteen more pixels may be
  /// written after them.
  @inline(__always)
  mutating func copyPixels(_ length: Int, distance: Int, to position: Int, ringSize: Int) {
    precondition(
      distance > 0 && distance < ringSize && length > 0 && position >= 0 && position < ringSize
        && ringSize <= count &- PixelRing.slack)
    if distance <= position, length <= ringSize &- position {
      let pixels = unsafe withUnsafeMutableBufferPointer { unsafe $0.baseAddress.unsafelyUnwrapped + position }
      unsafe copyForward(length, distance: distance, to: pixels)
    } else {
      copyAround(length, distance: distance, to: position, ringSize: ringSize)
    }
  }

  /// Copies across the end of the ring, in parts that do not cross it.
  @inline(never)
  private mutating func copyAround(_ length: Int, distance: Int, to position: Int, ringSize: Int) {
    unsafe withUnsafeMutableBufferPointer { pixels in
      let pixels = unsafe pixels.baseAddress.unsafelyUnwrapped
      var (left, target) = (length, position)
      while left > 0 {
        let source = target < distance ? target &- distance &+ ringSize : target &- distance
        let piece = min(left, ringSize &- max(source, target))
        unsafe copyForward(piece, distance: target &- source, to: pixels + target)
        left &-= piece
        target &+= piece
        if target == ringSize { target = 0 }
      }
    }
  }
}

/// Copies sixteen pixels at a time. The caller guarantees that `distance` pixels before `target` can be read, and that
/// `length` and fifteen more pixels from `target` on can be written. If `distance` is negative, the source follows
/// `target`, and fifteen more pixels after it must be readable.
@inline(__always)
private func copyForward(_ length: Int, distance: Int, to target: UnsafeMutablePointer<UInt32>) {
  let source = unsafe UnsafeRawPointer(target - distance)
  let target = UnsafeMutableRawPointer(target)
  let size = length &* 4
  var offset = 0
  if UInt(bitPattern: distance) >= 4 {
    repeat {
      for part in 0..<4 {
        let four = unsafe source.loadUnaligned(fromByteOffset: offset &+ 16 &* part, as: Bytes.self)
        unsafe target.storeBytes(of: four, toByteOffset: offset &+ 16 &* part, as: Bytes.self)
      }
      offset &+= 64
    } while offset < size
  } else if distance == 3 {
    repeat {
      let one = unsafe source.load(fromByteOffset: offset, as: UInt32.self)
      unsafe target.storeBytes(of: one, toByteOffset: offset, as: UInt32.self)
      offset &+= 4
    } while offset < size
  } else {
    let first = unsafe source.load(as: UInt32.self)
    let second = unsafe source.load(fromByteOffset: 4 &* (distance &- 1), as: UInt32.self)
    let four = SIMD4(first, second, first, second)
    repeat {
      unsafe target.storeBytes(of: four, toByteOffset: offset, as: SIMD4<UInt32>.self)
      unsafe target.storeBytes(of: four, toByteOffset: offset &+ 16, as: SIMD4<UInt32>.self)
      offset &+= 32
    } while offset < size
  }
}
