// In place of Kernels/LoopFilterRow.swift, which has a function for each kind of edge: here one does for all, and each
// edge goes through it by itself.

extension YUVRows {
  mutating func filter(
    _ macroblocks: Span<Macroblock>, _ filter: LoopFilter, lumaStart: Int, chromaStart: Int, isFirst: Bool
  ) {
    let (lumaStride, chromaStride) = (lumaStride, chromaStride)
    checkBounds(
      columns: macroblocks.count, rowsAbove: isFirst ? 0 : filter.rowsHeldBack, lumaStart: lumaStart,
      chromaStart: chromaStart)

    unsafe luma.withUnsafeMutableBytes { luma in
      unsafe u.withUnsafeMutableBytes { u in
        unsafe v.withUnsafeMutableBytes { v in
          for x in macroblocks.indices {
            let edges = Edges(
              strength: filter.strength(of: macroblocks[x]), isSimple: filter.isSimple, hasLeft: x > 0,
              hasUpper: !isFirst, hasInner: macroblocks[x].hasInnerEdges)
            guard edges.strength.edgeLimit > 0 else { continue }
            let plane = unsafe luma.baseAddress! + (lumaStart &+ x &* 16)
            unsafe edges.filter(plane, across: plane + 8 &* lumaStride, down: plane + 8, stride: lumaStride, size: 16)
            if filter.isSimple { continue }
            let offset = chromaStart &+ x &* 8
            let (u, v) = unsafe (u.baseAddress! + offset, v.baseAddress! + offset)
            unsafe edges.filter(u, across: v, down: v, stride: chromaStride, size: 8)
          }
        }
      }
    }
  }
}

/// The edges of a macroblock that are filtered.
private struct Edges {
  let strength: FilterStrength
  let isSimple: Bool
  let hasLeft: Bool
  let hasUpper: Bool
  let hasInner: Bool

  /// Filters those of luma, or of U and V.
  ///
  /// - Parameters:
  ///   - first: eight places of the left edge, and of the upper one.
  ///   - across: the other eight places of the left edge.
  ///   - down: the other eight places of the upper edge.
  func filter(
    _ first: UnsafeMutableRawPointer, across: UnsafeMutableRawPointer, down: UnsafeMutableRawPointer, stride: Int,
    size: Int
  ) {
    for isAcross in [true, false] {
      let (second, step) = unsafe isAcross ? (across, 1) : (down, stride)
      for place in Swift.stride(from: 0, to: size, by: 4) {
        guard place > 0 ? hasInner : isAcross ? hasLeft : hasUpper else { continue }
        unsafe filterEdge(
          first + place &* step, second + place &* step, stride: stride, isAcross: isAcross, strength,
          isSimple ? .simple : place > 0 ? .inner : .outer, margin: place > 0 ? 0 : 4)
      }
    }
  }
}

/// The three filters of RFC 6386, section 15.
enum EdgeFilter { case simple, inner, outer }
