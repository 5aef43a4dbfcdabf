// Insertion of pixels into the color cache (RFC 9649, section 3.6.2.3).
//
// Unsafe code: A precondition checks the number of pixels and slots. Slots are hashes with as many bits as needed
// for their number.
// Plain formula: `LosslessImageWriter` in Tests/TestSupport/LosslessWriter.swift.

internal import WebPFormat

/// Inserts the last `count` pixels before `next`, in order, into the color cache. `next` may be past the end of the
/// ring.
@inline(__always)
func insertColors(
  _ count: Int, before next: Int, of ring: Span<UInt32>, ringSize: Int, into colors: inout MutableSpan<UInt32>,
  shift: UInt32
) {
  var start = next &- count
  if start < 0 { start &+= ringSize }
  if start >= ringSize { start &-= ringSize }
  if start &+ count <= ringSize {
    let pixels = ring.extracting(start..<start &+ count)
    if count <= 8 {
      insertFew(pixels, into: &colors, shift: shift)
    } else {
      insertMany(pixels, into: &colors, shift: shift)
    }
    return
  }
  var position = start
  for _ in 0..<count {
    let pixel = ring[position]
    colors[ColorCache.slot(of: pixel, shift: shift)] = pixel
    position &+= 1
    if position == ringSize { position = 0 }
  }
}

/// Inserts up to eight pixels, branch-free: the last pixel is inserted repeatedly.
@inline(__always)
private func insertFew(_ pixels: Span<UInt32>, into colors: inout MutableSpan<UInt32>, shift: UInt32) {
  for index in 0..<8 {
    let pixel = pixels[min(index, pixels.count &- 1)]
    colors[ColorCache.slot(of: pixel, shift: shift)] = pixel
  }
}

/// Inserts any number of pixels. Skips eight pixels that all equal the last inserted one, because images with a cache
/// often have large areas of one color.
@inline(never)
private func insertMany(_ pixels: Span<UInt32>, into colors: inout MutableSpan<UInt32>, shift: UInt32) {
  precondition(!pixels.isEmpty && shift > 0 && shift < 32 && colors.count >= 1 &<< (32 &- Int(shift)))
  let count = pixels.count
  unsafe pixels.withUnsafeBytes { source in
    unsafe colors.withUnsafeMutableBufferPointer { slots in
      let source = unsafe source.baseAddress.unsafelyUnwrapped
      let slots = unsafe slots.baseAddress.unsafelyUnwrapped
      if shift >= 30 {
        unsafe insertFromEnd(count, source, slots, shift: shift)
        return
      }
      @inline(__always)
      func insert(_ index: Int) {
        let pixel = unsafe source.pixel(index)
        unsafe slots[ColorCache.slot(of: pixel, shift: shift)] = pixel
      }
      insert(0)
      var last = unsafe Bytes(source.pixel(0))
      var index = 1
      while index &+ 8 <= count {
        let differences = unsafe source.fourPixels(index).xor(last).or(source.fourPixels(index &+ 4).xor(last))
        if !differences.isZero {
          for pixel in 0..<8 { insert(index &+ pixel) }
          last = unsafe Bytes(source.pixel(index &+ 7))
        }
        index &+= 8
      }
      while index < count {
        insert(index)
        index &+= 1
      }
    }
  }
}

/// Inserts from the last pixel to the first, until each of two or four slots has a pixel.
private func insertFromEnd(
  _ count: Int, _ source: UnsafeRawPointer, _ slots: UnsafeMutablePointer<UInt32>, shift: UInt32
) {
  var missing = (1 as UInt32) &<< (1 &<< (32 &- shift)) &- 1
  @inline(__always)
  func insert(_ index: Int) {
    let pixel = unsafe source.pixel(index)
    let slot = ColorCache.slot(of: pixel, shift: shift)
    let bit = (1 as UInt32) &<< UInt32(truncatingIfNeeded: slot)
    let old = unsafe slots[slot]
    unsafe slots[slot] = missing & bit != 0 ? pixel : old
    missing &= ~bit
  }
  var index = count &- 1
  insert(index)
  var last = unsafe Bytes(source.pixel(index))
  while index >= 8, missing != 0 {
    index &-= 8
    let differences = unsafe source.fourPixels(index).xor(last).or(source.fourPixels(index &+ 4).xor(last))
    if !differences.isZero {
      for back in 0..<8 { insert(index &+ 7 &- back) }
      last = unsafe Bytes(source.pixel(index))
    }
  }
  while index > 0, missing != 0 {
    index &-= 1
    insert(index)
  }
}
