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
  let lines = unsafe ChromaLines(first, second, stride: stride)
  var p: EightColumns
  if isAcross {
    p = unsafe loadEightColumns(first - 4, second - 4, stride: stride)
  } else {
    p = unsafe (.zero, .zero, lines[-2], lines[-1], lines[0], lines[1], .zero, .zero)
    if !isNarrow { (p.0, p.1, p.6, p.7) = unsafe (lines[-4], lines[-3], lines[2], lines[3]) }
  }
  switch filter {
  case .simple: filterSimply(p.2, &p.3, &p.4, p.5, limits)
  case .inner: filterInner(p.0, p.1, &p.2, &p.3, &p.4, &p.5, p.6, p.7, limits)
  case .outer: filterOuter(p.0, &p.1, &p.2, &p.3, &p.4, &p.5, &p.6, p.7, limits)
  }
  if isAcross { return unsafe storeEightColumns(p, first - 4, second - 4, stride: stride) }
  unsafe lines.store(p.2, -2)
  unsafe lines.store(p.3, -1)
  unsafe lines.store(p.4, 0)
  unsafe lines.store(p.5, 1)
  if isNarrow { return }
  unsafe lines.store(p.1, -3)
  unsafe lines.store(p.6, 2)
}
