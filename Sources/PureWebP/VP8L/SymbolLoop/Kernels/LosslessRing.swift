// The bulk operations of the symbol loop: copying pixels, and inserting them into the color cache.

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
