// The loop filter of a row of macroblocks (RFC 6386, sections 15.1 to 15.3).
//
// The order in each macroblock is: left edge, vertical subblock edges, upper edge, horizontal subblock edges. Luma has
// three subblock edges in each direction, chroma has one. U and V are filtered together: a vector holds eight positions
// of each. The edges of the image are not filtered.
//
// Unsafe code: Preconditions check the rows that the loop filter reads and writes: eight columns or rows on each
// side of an edge. These always exist, because the edges at the border of the image are not filtered.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

extension YUVRows {
  /// Filters a row of macroblocks.
  ///
  /// Changes up to three rows above the row in each plane, and reads a fourth.
  ///
  /// - Parameters:
  ///   - lumaStart: the index in `luma` of the row's first pixel. Except in the first row, at least `deferredRows` rows
  ///     are above it.
  ///   - chromaStart: the same for `u` and `v`.
  ///   - isFirst: the row is the first of the image.
  mutating func filter(
    _ macroblocks: Span<Macroblock>, _ filter: LoopFilter, lumaStart: Int, chromaStart: Int, isFirst: Bool
  ) {
    let (lumaStride, chromaStride) = (lumaStride, chromaStride)
    checkBounds(
      columns: macroblocks.count, rowsAbove: isFirst ? 0 : filter.deferredRows, lumaStart: lumaStart,
      chromaStart: chromaStart)

    unsafe luma.withUnsafeMutableBytes { luma in
      unsafe u.withUnsafeMutableBytes { u in
        unsafe v.withUnsafeMutableBytes { v in
          for x in macroblocks.indices {
            let macroblock = macroblocks[x]
            let strength = filter.strength(of: macroblock)
            guard strength.edgeLimit > 0 else { continue }
            let edges = Edges(
              outer: EdgeLimits(strength, margin: 4), inner: EdgeLimits(strength, margin: 0),
              hasLeft: x > 0, hasUpper: !isFirst, filtersSubblockEdges: macroblock.filtersSubblockEdges)
            let plane = unsafe luma.baseAddress! + (lumaStart &+ x &* 16)
            if filter.isSimple {
              unsafe filterSimply(plane, stride: lumaStride, edges)
            } else {
              let offset = chromaStart &+ x &* 8
              unsafe filterNormally(
                plane, stride: lumaStride, u.baseAddress! + offset, v.baseAddress! + offset,
                chromaStride: chromaStride, edges)
            }
          }
        }
      }
    }
  }
}

/// The edges of a macroblock that are filtered.
private struct Edges {
  let outer: EdgeLimits
  let inner: EdgeLimits
  let hasLeft: Bool
  let hasUpper: Bool
  let filtersSubblockEdges: Bool
}

// MARK: Simple filter

@inline(__always)
private func filterSimply(_ plane: UnsafeMutableRawPointer, stride: Int, _ edges: Edges) {
  if edges.hasLeft { unsafe filterVerticalEdgeSimply(plane, stride: stride, edges.outer) }
  if edges.filtersSubblockEdges {
    for x in 1...3 { unsafe filterVerticalEdgeSimply(plane + x &* 4, stride: stride, edges.inner) }
  }
  if edges.hasUpper { unsafe filterHorizontalEdgeSimply(plane, stride: stride, edges.outer) }
  if edges.filtersSubblockEdges {
    for y in 1...3 { unsafe filterHorizontalEdgeSimply(plane + y &* 4 &* stride, stride: stride, edges.inner) }
  }
}

/// Filters a vertical edge. `plane` is the first pixel after it.
@inline(__always)
private func filterVerticalEdgeSimply(_ plane: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits) {
  let upper = unsafe plane - 4
  let lower = unsafe upper + 8 &* stride
  var columns = unsafe loadEightColumns(upper, lower, stride: stride)
  filterSimply(columns.2, &columns.3, &columns.4, columns.5, limits)
  unsafe storeEightColumns(columns, upper, lower, stride: stride)
}

/// Filters a horizontal edge. `plane` is the first pixel below it.
@inline(__always)
private func filterHorizontalEdgeSimply(_ plane: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits) {
  let lines = unsafe PlaneLines(plane, stride: stride)
  var p0 = unsafe lines[-1]
  var q0 = unsafe lines[0]
  unsafe filterSimply(lines[-2], &p0, &q0, lines[1], limits)
  unsafe lines.store(p0, -1)
  unsafe lines.store(q0, 0)
}

// MARK: Normal filter

/// Alternates between luma and chroma. They are independent, so the processor can execute both at the same time.
@inline(__always)
private func filterNormally(
  _ plane: UnsafeMutableRawPointer, stride: Int, _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer,
  chromaStride: Int, _ edges: Edges
) {
  let luma = unsafe PlaneLines(plane, stride: stride)
  let chroma = unsafe ChromaLines(u, v, stride: chromaStride)
  if edges.filtersSubblockEdges {
    unsafe filterVerticalEdges(u, v, stride: chromaStride, edges)
    unsafe filterVerticalEdges(plane, stride: stride, edges)
  } else if edges.hasLeft {
    unsafe filterVerticalMacroblockEdge(u - 4, v - 4, stride: chromaStride, edges.outer)
    unsafe filterVerticalMacroblockEdge(plane - 4, plane - 4 + 8 &* stride, stride: stride, edges.outer)
  }
  if edges.hasUpper {
    unsafe filterHorizontalMacroblockEdge(chroma, at: 0, edges.outer)
    unsafe filterHorizontalMacroblockEdge(luma, at: 0, edges.outer)
  }
  if edges.filtersSubblockEdges {
    unsafe filterHorizontalSubblockEdge(luma, at: 4, edges.inner)
    unsafe filterHorizontalSubblockEdge(chroma, at: 4, edges.inner)
    unsafe filterHorizontalSubblockEdge(luma, at: 8, edges.inner)
    unsafe filterHorizontalSubblockEdge(luma, at: 12, edges.inner)
  }
}

/// Filters the left edge and the three vertical subblock edges of luma together, so that each column is loaded once.
@inline(__always)
private func filterVerticalEdges(_ plane: UnsafeMutableRawPointer, stride: Int, _ edges: Edges) {
  var (a, b) = unsafe loadSixteenColumns(plane, stride: stride)
  if edges.hasLeft {
    let lower = unsafe plane + 8 &* stride
    var p = unsafe loadEightColumns(plane - 8, lower - 8, stride: stride)
    filterMacroblockEdge(p.4, &p.5, &p.6, &p.7, &a.0, &a.1, &a.2, a.3, edges.outer)
    unsafe storeFourColumns((p.4, p.5, p.6, p.7), plane - 4, lower - 4, stride: stride)
  }
  filterSubblockEdge(a.0, a.1, &a.2, &a.3, &a.4, &a.5, a.6, a.7, edges.inner)
  filterSubblockEdge(a.4, a.5, &a.6, &a.7, &b.0, &b.1, b.2, b.3, edges.inner)
  filterSubblockEdge(b.0, b.1, &b.2, &b.3, &b.4, &b.5, b.6, b.7, edges.inner)
  unsafe storeSixteenColumns(a, b, plane, stride: stride)
}

/// Filters the left edge and the vertical subblock edge of U and V.
@inline(__always)
private func filterVerticalEdges(
  _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, stride: Int, _ edges: Edges
) {
  var q = unsafe loadEightColumns(u, v, stride: stride)
  if edges.hasLeft {
    var p = unsafe loadEightColumns(u - 8, v - 8, stride: stride)
    filterMacroblockEdge(p.4, &p.5, &p.6, &p.7, &q.0, &q.1, &q.2, q.3, edges.outer)
    unsafe storeFourColumns((p.4, p.5, p.6, p.7), u - 4, v - 4, stride: stride)
  }
  filterSubblockEdge(q.0, q.1, &q.2, &q.3, &q.4, &q.5, q.6, q.7, edges.inner)
  unsafe storeEightColumns(q, u, v, stride: stride)
}

/// Filters a vertical macroblock edge, in the middle of eight columns.
@inline(never)
private func filterVerticalMacroblockEdge(
  _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits
) {
  var c = unsafe loadEightColumns(upper, lower, stride: stride)
  filterMacroblockEdge(c.0, &c.1, &c.2, &c.3, &c.4, &c.5, &c.6, c.7, limits)
  unsafe storeEightColumns(c, upper, lower, stride: stride)
}

/// Filters the horizontal macroblock edge above line y.
@inline(never)
private func filterHorizontalMacroblockEdge(_ lines: some PixelLines, at y: Int, _ limits: EdgeLimits) {
  var p2 = unsafe lines[y &- 3]
  var p1 = unsafe lines[y &- 2]
  var p0 = unsafe lines[y &- 1]
  var q0 = unsafe lines[y]
  var q1 = unsafe lines[y &+ 1]
  var q2 = unsafe lines[y &+ 2]
  unsafe filterMacroblockEdge(lines[y &- 4], &p2, &p1, &p0, &q0, &q1, &q2, lines[y &+ 3], limits)
  unsafe lines.store(p2, y &- 3)
  unsafe lines.store(p1, y &- 2)
  unsafe lines.store(p0, y &- 1)
  unsafe lines.store(q0, y)
  unsafe lines.store(q1, y &+ 1)
  unsafe lines.store(q2, y &+ 2)
}

/// Filters the horizontal subblock edge above line y.
@inline(never)
private func filterHorizontalSubblockEdge(_ lines: some PixelLines, at y: Int, _ limits: EdgeLimits) {
  var p1 = unsafe lines[y &- 2]
  var p0 = unsafe lines[y &- 1]
  var q0 = unsafe lines[y]
  var q1 = unsafe lines[y &+ 1]
  unsafe filterSubblockEdge(
    lines[y &- 4], lines[y &- 3], &p1, &p0, &q0, &q1, lines[y &+ 2], lines[y &+ 3], limits)
  unsafe lines.store(p1, y &- 2)
  unsafe lines.store(p0, y &- 1)
  unsafe lines.store(q0, y)
  unsafe lines.store(q1, y &+ 1)
}
