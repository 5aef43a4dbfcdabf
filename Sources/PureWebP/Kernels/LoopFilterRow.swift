// The loop filter over a row of macroblocks: which edges, in which order (RFC 6386, sections 15.1 to 15.3).
//
// Each macroblock in turn has its left edge filtered, the vertical edges inside of it, its upper edge, and the
// horizontal edges inside of it. Luma has three inner edges in each direction, chroma one; U and V are filtered together,
// eight places of one and eight of the other in a vector. The edges of the picture itself are left alone.

extension YUVRows {
  /// Filters a row of macroblocks.
  ///
  /// Changes up to three rows above it in each plane, and reads a fourth.
  ///
  /// - Parameters:
  ///   - lumaStart: Where in `luma` the row's first pixel lies; at least four rows lie above unless it `isFirst`.
  ///   - chromaStart: The same for `u` and `v`.
  ///   - isFirst: The row is the first of the picture.
  mutating func filter(
    _ macroblocks: Span<Macroblock>, _ filter: LoopFilter, lumaStart: Int, chromaStart: Int, isFirst: Bool
  ) {
    let (lumaStride, chromaStride) = (lumaStride, chromaStride)
    let rowsAbove = isFirst ? 0 : filter.rowsHeldBack
    precondition(lumaStride >= macroblocks.count &* 16 && lumaStart >= rowsAbove &* lumaStride)
    precondition(lumaStart &+ 16 &* lumaStride <= luma.count)
    precondition(chromaStride >= macroblocks.count &* 8 && chromaStart >= rowsAbove / 2 &* chromaStride)
    precondition(chromaStart &+ 8 &* chromaStride <= min(u.count, v.count))

    unsafe luma.withUnsafeMutableBytes { luma in
      unsafe u.withUnsafeMutableBytes { u in
        unsafe v.withUnsafeMutableBytes { v in
          for x in macroblocks.indices {
            let macroblock = macroblocks[x]
            let strength = filter.strength(of: macroblock)
            guard strength.edgeLimit > 0 else { continue }
            let edges = Edges(
              outer: EdgeLimits(strength, margin: 4), inner: EdgeLimits(strength, margin: 0),
              hasLeft: x > 0, hasUpper: !isFirst, hasInner: macroblock.hasInnerEdges)
            let plane = unsafe luma.baseAddress! + (lumaStart &+ x &* 16)
            if filter.isSimple {
              unsafe filterSimply(plane, stride: lumaStride, edges)
            } else {
              unsafe filterLuma(plane, stride: lumaStride, edges)
              let offset = chromaStart &+ x &* 8
              unsafe filterChroma(u.baseAddress! + offset, v.baseAddress! + offset, stride: chromaStride, edges)
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
  let hasInner: Bool
}

// MARK: Simple filter

@inline(__always)
private func filterSimply(_ plane: UnsafeMutableRawPointer, stride: Int, _ edges: Edges) {
  if edges.hasLeft { unsafe filterSimplyAcross(plane, stride: stride, edges.outer) }
  if edges.hasInner {
    for x in 1...3 { unsafe filterSimplyAcross(plane + x &* 4, stride: stride, edges.inner) }
  }
  if edges.hasUpper { unsafe filterSimplyDown(plane, stride: stride, edges.outer) }
  if edges.hasInner {
    for y in 1...3 { unsafe filterSimplyDown(plane + y &* 4 &* stride, stride: stride, edges.inner) }
  }
}

/// A vertical edge, `plane` being the first pixel after it.
@inline(__always)
private func filterSimplyAcross(_ plane: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits) {
  let upper = unsafe plane - 4
  let lower = unsafe upper + 8 &* stride
  var columns = unsafe loadColumns(upper, lower, stride: stride)
  filterSimply(columns.2, &columns.3, &columns.4, columns.5, limits)
  unsafe storeColumns(columns, upper, lower, stride: stride)
}

/// A horizontal edge, `plane` being the first pixel below it.
@inline(__always)
private func filterSimplyDown(_ plane: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits) {
  let lines = unsafe Lines(plane, stride: stride)
  var p0 = unsafe lines[-1]
  var q0 = unsafe lines[0]
  unsafe filterSimply(lines[-2], &p0, &q0, lines[1], limits)
  unsafe lines.store(p0, -1)
  unsafe lines.store(q0, 0)
}

// MARK: Normal filter, luma

@inline(__always)
private func filterLuma(_ plane: UnsafeMutableRawPointer, stride: Int, _ edges: Edges) {
  if edges.hasLeft {
    unsafe filterOuterAcross(plane - 4, plane - 4 + 8 &* stride, stride: stride, edges.outer)
  }
  if edges.hasInner { unsafe filterInnerAcross(plane, stride: stride, edges.inner) }
  if edges.hasUpper { unsafe filterOuterDown(Lines(plane, stride: stride), edges.outer) }
  if edges.hasInner {
    for y in 1...3 { unsafe filterInnerDown(Lines(plane + y &* 4 &* stride, stride: stride), edges.inner) }
  }
}

/// The three inner vertical edges at once: all sixteen columns pass through registers one time.
@inline(__always)
private func filterInnerAcross(_ plane: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits) {
  let lower = unsafe plane + 8 &* stride
  var a = unsafe loadColumns(plane, lower, stride: stride)
  filterInner(a.0, a.1, &a.2, &a.3, &a.4, &a.5, a.6, a.7, limits)
  var b = unsafe loadColumns(plane + 8, lower + 8, stride: stride)
  filterInner(a.4, a.5, &a.6, &a.7, &b.0, &b.1, b.2, b.3, limits)
  unsafe storeColumns(a, plane, lower, stride: stride)
  filterInner(b.0, b.1, &b.2, &b.3, &b.4, &b.5, b.6, b.7, limits)
  unsafe storeColumns(b, plane + 8, lower + 8, stride: stride)
}

// MARK: Normal filter, chroma

@inline(__always)
private func filterChroma(
  _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, stride: Int, _ edges: Edges
) {
  if edges.hasLeft { unsafe filterOuterAcross(u - 4, v - 4, stride: stride, edges.outer) }
  if edges.hasInner {
    var columns = unsafe loadColumns(u, v, stride: stride)
    filterInner(
      columns.0, columns.1, &columns.2, &columns.3, &columns.4, &columns.5, columns.6, columns.7, edges.inner)
    unsafe storeColumns(columns, u, v, stride: stride)
  }
  if edges.hasUpper { unsafe filterOuterDown(LinePairs(u, v, stride: stride), edges.outer) }
  if edges.hasInner {
    unsafe filterInnerDown(LinePairs(u + 4 &* stride, v + 4 &* stride, stride: stride), edges.inner)
  }
}

// MARK: Edges

/// A vertical edge between macroblocks, in the middle of eight columns.
@inline(__always)
private func filterOuterAcross(
  _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int, _ limits: EdgeLimits
) {
  var columns = unsafe loadColumns(upper, lower, stride: stride)
  filterOuter(
    columns.0, &columns.1, &columns.2, &columns.3, &columns.4, &columns.5, &columns.6, columns.7, limits)
  unsafe storeColumns(columns, upper, lower, stride: stride)
}

/// A horizontal edge between macroblocks, above line 0.
@inline(__always)
private func filterOuterDown(_ lines: some PixelLines, _ limits: EdgeLimits) {
  var p2 = unsafe lines[-3]
  var p1 = unsafe lines[-2]
  var p0 = unsafe lines[-1]
  var q0 = unsafe lines[0]
  var q1 = unsafe lines[1]
  var q2 = unsafe lines[2]
  unsafe filterOuter(lines[-4], &p2, &p1, &p0, &q0, &q1, &q2, lines[3], limits)
  unsafe lines.store(p2, -3)
  unsafe lines.store(p1, -2)
  unsafe lines.store(p0, -1)
  unsafe lines.store(q0, 0)
  unsafe lines.store(q1, 1)
  unsafe lines.store(q2, 2)
}

/// A horizontal edge inside of a macroblock, above line 0.
@inline(__always)
private func filterInnerDown(_ lines: some PixelLines, _ limits: EdgeLimits) {
  var p1 = unsafe lines[-2]
  var p0 = unsafe lines[-1]
  var q0 = unsafe lines[0]
  var q1 = unsafe lines[1]
  unsafe filterInner(lines[-4], lines[-3], &p1, &p0, &q0, &q1, lines[2], lines[3], limits)
  unsafe lines.store(p1, -2)
  unsafe lines.store(p0, -1)
  unsafe lines.store(q0, 0)
  unsafe lines.store(q1, 1)
}

// MARK: Lines

/// Sixteen pixels of the lines around a horizontal edge, which lies above line 0.
private protocol PixelLines {
  @unsafe subscript(line: Int) -> Bytes { get }
  @unsafe func store(_ pixels: Bytes, _ line: Int)
}

/// Of one plane.
@unsafe
private struct Lines: PixelLines {
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
private struct LinePairs: PixelLines {
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
    return bits(halves, as: Bytes.self)
  }

  @inline(__always)
  func store(_ pixels: Bytes, _ line: Int) {
    let halves = bits(pixels, as: SIMD2<UInt64>.self)
    unsafe u.storeBytes(of: halves[0], toByteOffset: line &* stride, as: UInt64.self)
    unsafe v.storeBytes(of: halves[1], toByteOffset: line &* stride, as: UInt64.self)
  }
}
