// In place of Kernels/LosslessRing.swift, which takes many pixels at once: here it is one after the other.

extension MutableSpan<UInt32> {
  /// Copies `length` pixels from `distance` before `place` to `place`, in a ring of the first `ringSize` pixels.
  mutating func copyPixels(_ length: Int, distance: Int, to place: Int, ringSize: Int) {
    var (source, target) = (place &- distance, place)
    if source < 0 { source &+= ringSize }
    for _ in 0..<length {
      self[target] = self[source]
      source = source &+ 1 == ringSize ? 0 : source &+ 1
      target = target &+ 1 == ringSize ? 0 : target &+ 1
    }
  }
}

/// Enters the last `count` pixels before `next`, which may be behind the ring's end, in the colour cache, in their order.
func insertColors(
  _ count: Int, before next: Int, of ring: Span<UInt32>, ringSize: Int, into colors: inout MutableSpan<UInt32>,
  shift: UInt32
) {
  var place = (next &- count &+ ringSize) % ringSize
  for _ in 0..<count {
    let pixel = ring[place]
    colors[ColorCache.slot(of: pixel, shift: shift)] = pixel
    place = place &+ 1 == ringSize ? 0 : place &+ 1
  }
}
