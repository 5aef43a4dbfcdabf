// An edge of the loop filter, with the arithmetic of Kernels/LoopFilterEdges.swift.

/// Filters sixteen places of an edge: eight from the pixel `first` behind it on, and eight from `second` on.
///
/// - Parameters:
///   - isAcross: the edge is vertical, and so its places lie below one another.
///   - margin: what edges between macroblocks have more of.
@inline(never)
func filterEdge(
  _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, stride: Int, isAcross: Bool,
  _ strength: FilterStrength, _ filter: EdgeFilter, margin: UInt8
) {
  let limits = EdgeLimits(strength, margin: margin)
  let isNarrow = filter == .simple  // and farther lines may not be there

  func line(_ y: Int) -> Bytes {
    let halves = unsafe SIMD2(
      first.loadUnaligned(fromByteOffset: y &* stride, as: UInt64.self),
      second.loadUnaligned(fromByteOffset: y &* stride, as: UInt64.self))
    return bits(halves, as: Bytes.self)
  }
  func store(_ pixels: Bytes, _ y: Int) {
    let halves = bits(pixels, as: SIMD2<UInt64>.self)
    unsafe first.storeBytes(of: halves[0], toByteOffset: y &* stride, as: UInt64.self)
    unsafe second.storeBytes(of: halves[1], toByteOffset: y &* stride, as: UInt64.self)
  }

  var p: EightColumns
  if isAcross {
    p = unsafe loadEightColumns(first - 4, second - 4, stride: stride)
  } else {
    p = (.zero, .zero, line(-2), line(-1), line(0), line(1), .zero, .zero)
    if !isNarrow { (p.0, p.1, p.6, p.7) = (line(-4), line(-3), line(2), line(3)) }
  }
  switch filter {
  case .simple: filterSimply(p.2, &p.3, &p.4, p.5, limits)
  case .inner: filterInner(p.0, p.1, &p.2, &p.3, &p.4, &p.5, p.6, p.7, limits)
  case .outer: filterOuter(p.0, &p.1, &p.2, &p.3, &p.4, &p.5, &p.6, p.7, limits)
  }
  if isAcross { return unsafe storeEightColumns(p, first - 4, second - 4, stride: stride) }
  store(p.2, -2)
  store(p.3, -1)
  store(p.4, 0)
  store(p.5, 1)
  if isNarrow { return }
  store(p.1, -3)
  store(p.6, 2)
}
