// The loop filter (RFC 6386, section 15) pixel by pixel, for the module without vector instructions: there a vector's
// lanes are spelled out one after the other, and all of them are computed where most places of an edge need nothing.
//
// The order of the edges is that of Kernels/LoopFilterRow.swift.

extension YUVRows {
  mutating func filter(
    _ macroblocks: Span<Macroblock>, _ filter: LoopFilter, lumaStart: Int, chromaStart: Int, isFirst: Bool
  ) {
    let (lumaStride, chromaStride) = (lumaStride, chromaStride)
    let rowsAbove = isFirst ? 0 : filter.rowsHeldBack
    precondition(lumaStride >= macroblocks.count &* 16 && lumaStart >= rowsAbove &* lumaStride)
    precondition(lumaStart &+ 16 &* lumaStride <= luma.count)
    precondition(chromaStride >= macroblocks.count &* 8 && chromaStart >= rowsAbove / 2 &* chromaStride)
    precondition(chromaStart &+ 8 &* chromaStride <= min(u.count, v.count))

    luma.withUnsafeMutableBufferPointer { luma in
      u.withUnsafeMutableBufferPointer { u in
        v.withUnsafeMutableBufferPointer { v in
          for x in macroblocks.indices {
            let strength = filter.strength(of: macroblocks[x])
            guard strength.edgeLimit > 0 else { continue }
            let edges = Edges(strength, hasLeft: x > 0, hasUpper: !isFirst, hasInner: macroblocks[x].hasInnerEdges)
            let plane = luma.baseAddress! + (lumaStart &+ x &* 16)
            if filter.isSimple {
              edges.filter(plane, stride: lumaStride, size: 16, filterSimply, filterSimply)
            } else {
              let offset = chromaStart &+ x &* 8
              edges.filter(plane, stride: lumaStride, size: 16, filterOuter, filterInner)
              edges.filter(u.baseAddress! + offset, stride: chromaStride, size: 8, filterOuter, filterInner)
              edges.filter(v.baseAddress! + offset, stride: chromaStride, size: 8, filterOuter, filterInner)
            }
          }
        }
      }
    }
  }
}

private typealias Pixels = UnsafeMutablePointer<UInt8>

/// The limits of a macroblock, and which of its edges are filtered.
private struct Edges {
  let outerLimit: Int32
  let innerLimit: Int32
  let interior: Int32
  let highVariance: Int32
  let hasLeft: Bool
  let hasUpper: Bool
  let hasInner: Bool

  init(_ strength: FilterStrength, hasLeft: Bool, hasUpper: Bool, hasInner: Bool) {
    innerLimit = Int32(strength.edgeLimit)
    outerLimit = innerLimit &+ 4
    interior = Int32(strength.interiorLimit)
    highVariance = Int32(strength.highVarianceThreshold)
    self.hasLeft = hasLeft
    self.hasUpper = hasUpper
    self.hasInner = hasInner
  }

  /// Filters the edges of a macroblock in one plane.
  @inline(__always)
  func filter(
    _ plane: Pixels, stride: Int, size: Int,
    _ outer: (_ pixel: Pixels, _ step: Int, _ next: Int, _ count: Int, _ limit: Int32, Edges) -> Void,
    _ inner: (_ pixel: Pixels, _ step: Int, _ next: Int, _ count: Int, _ limit: Int32, Edges) -> Void
  ) {
    if hasLeft { outer(plane, 1, stride, size, outerLimit, self) }
    if hasInner {
      for x in Swift.stride(from: 4, to: size, by: 4) { inner(plane + x, 1, stride, size, innerLimit, self) }
    }
    if hasUpper { outer(plane, stride, 1, size, outerLimit, self) }
    if hasInner {
      for y in Swift.stride(from: 4, to: size, by: 4) { inner(plane + y &* stride, stride, 1, size, innerLimit, self) }
    }
  }
}

// MARK: The three filters

// Each goes along an edge, whose first pixel behind it is `pixel`: it is `step` from one pixel to the next across the
// edge, and `next` along it.

@inline(never)
private func filterSimply(_ pixel: Pixels, _ step: Int, _ next: Int, _ count: Int, _ limit: Int32, _ edges: Edges) {
  for place in 0..<count {
    let across = Across(pixel + place &* next, step)
    guard across.isWithin(limit) else { continue }
    _ = across.adjust(by: across.step(fromOuter: across.outer))
  }
}

@inline(never)
private func filterInner(_ pixel: Pixels, _ step: Int, _ next: Int, _ count: Int, _ limit: Int32, _ edges: Edges) {
  for place in 0..<count {
    let across = Across(pixel + place &* next, step)
    guard across.isWithin(limit), across.isSmooth(edges.interior) else { continue }
    if across.hasLowVariance(edges.highVariance) {
      across.move(1, by: (across.adjust(by: across.step(fromOuter: 0)) &+ 1) &>> 1)
    } else {
      _ = across.adjust(by: across.step(fromOuter: across.outer))
    }
  }
}

@inline(never)
private func filterOuter(_ pixel: Pixels, _ step: Int, _ next: Int, _ count: Int, _ limit: Int32, _ edges: Edges) {
  for place in 0..<count {
    let across = Across(pixel + place &* next, step)
    guard across.isWithin(limit), across.isSmooth(edges.interior) else { continue }
    let value = across.step(fromOuter: across.outer)
    if across.hasLowVariance(edges.highVariance) {
      across.move(0, by: (27 &* value &+ 63) &>> 7)
      across.move(1, by: (18 &* value &+ 63) &>> 7)
      across.move(2, by: (9 &* value &+ 63) &>> 7)
    } else {
      _ = across.adjust(by: value)
    }
  }
}

/// The pixels across an edge: p3 p2 p1 p0 │ q0 q1 q2 q3.
private struct Across {
  let q: Pixels
  let step: Int
  let p1: Int32
  let p0: Int32
  let q0: Int32
  let q1: Int32

  @inline(__always)
  init(_ pixel: Pixels, _ step: Int) {
    q = pixel
    self.step = step
    p1 = Int32(pixel[-2 &* step])
    p0 = Int32(pixel[-step])
    q0 = Int32(pixel[0])
    q1 = Int32(pixel[step])
  }

  @inline(__always)
  func isWithin(_ limit: Int32) -> Bool { 2 &* abs(p0 &- q0) &+ abs(p1 &- q1) &>> 1 <= limit }

  @inline(__always)
  func isSmooth(_ limit: Int32) -> Bool {
    let (p3, p2) = (Int32(q[-4 &* step]), Int32(q[-3 &* step]))
    let (q2, q3) = (Int32(q[2 &* step]), Int32(q[3 &* step]))
    return abs(p3 &- p2) <= limit && abs(p2 &- p1) <= limit && abs(p1 &- p0) <= limit
      && abs(q3 &- q2) <= limit && abs(q2 &- q1) <= limit && abs(q1 &- q0) <= limit
  }

  @inline(__always)
  func hasLowVariance(_ threshold: Int32) -> Bool { abs(p1 &- p0) <= threshold && abs(q1 &- q0) <= threshold }

  /// clamp(p1 − q1)
  @inline(__always)
  var outer: Int32 { clamped(p1 &- q1) }

  /// clamp(outer + 3 · (q0 − p0))
  @inline(__always)
  func step(fromOuter outer: Int32) -> Int32 { clamped(outer &+ 3 &* (q0 &- p0)) }

  /// Adds ⌊clamp(value + 3) / 8⌋ to p0 and subtracts ⌊clamp(value + 4) / 8⌋ from q0, which is returned.
  @inline(__always)
  func adjust(by value: Int32) -> Int32 {
    let subtracted = min(value &+ 4, 127) &>> 3
    q[0] = pixel(q0 &- subtracted)
    q[-step] = pixel(p0 &+ min(value &+ 3, 127) &>> 3)
    return subtracted
  }

  /// Moves the pixels `distance` away from the edge's towards each other.
  @inline(__always)
  func move(_ distance: Int, by value: Int32) {
    let (p, q) = (q - (distance &+ 1) &* step, q + distance &* step)
    p.pointee = pixel(Int32(p.pointee) &+ value)
    q.pointee = pixel(Int32(q.pointee) &- value)
  }
}

@inline(__always)
private func clamped(_ value: Int32) -> Int32 { max(-128, min(127, value)) }

@inline(__always)
private func pixel(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
