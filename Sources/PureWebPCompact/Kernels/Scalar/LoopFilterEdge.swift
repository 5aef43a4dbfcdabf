// An edge of the loop filter (RFC 6386, sections 15.2 and 15.3), position by position, for processors without vector
// instructions. For these, the compiler would expand a vector into its lanes and compute all of them, although most
// positions of an edge are not filtered.
//
// Unsafe code: They filter only edges inside of the image: eight lines or columns on each side of them exist, of
// which the simple filter reads two.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// Filters sixteen positions of an edge: eight from the pixel `first` after the edge on, and eight from `second` on.
///
/// - Parameters:
///   - isVertical: the positions of the edge are one below another.
///   - margin: is added to `strength.edgeLimit`: 4 for macroblock edges, 0 for subblock edges.
func filterEdge(
  _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, stride: Int, isVertical: Bool,
  _ strength: FilterStrength, _ filter: EdgeFilter, margin: UInt8
) {
  for isSecond in [false, true] {
    let pixel = unsafe (isSecond ? second : first).assumingMemoryBound(to: UInt8.self)
    for position in 0..<8 {
      let edge = unsafe isVertical ? EdgePixels(pixel + position &* stride, 1) : EdgePixels(pixel + position, stride)
      guard edge.isWithin(Int32(strength.edgeLimit &+ margin)) else { continue }
      if filter == .simple {
        _ = edge.adjust(by: edge.filterValue(fromOuter: edge.outer))
        continue
      }
      guard edge.isSmooth(Int32(strength.interiorLimit)) else { continue }
      if !edge.hasLowVariance(Int32(strength.highVarianceThreshold)) {
        _ = edge.adjust(by: edge.filterValue(fromOuter: edge.outer))
      } else if filter == .subblockEdge {
        edge.move(1, by: (edge.adjust(by: edge.filterValue(fromOuter: 0)) &+ 1) &>> 1)
      } else {
        let value = edge.filterValue(fromOuter: edge.outer)
        edge.move(0, by: (27 &* value &+ 63) &>> 7)
        edge.move(1, by: (18 &* value &+ 63) &>> 7)
        edge.move(2, by: (9 &* value &+ 63) &>> 7)
      }
    }
  }
}

/// The pixels across an edge: p3 p2 p1 p0 │ q0 q1 q2 q3.
@safe private struct EdgePixels {
  /// The address of q0.
  let q: UnsafeMutablePointer<UInt8>
  /// The distance between the pixels, in bytes.
  let step: Int
  let p1: Int32
  let p0: Int32
  let q0: Int32
  let q1: Int32

  @inline(__always)
  init(_ pixel: UnsafeMutablePointer<UInt8>, _ step: Int) {
    unsafe q = pixel
    self.step = step
    p1 = unsafe Int32(pixel[-2 &* step])
    p0 = unsafe Int32(pixel[-step])
    q0 = unsafe Int32(pixel[0])
    q1 = unsafe Int32(pixel[step])
  }

  @inline(__always)
  func isWithin(_ limit: Int32) -> Bool { 2 &* abs(p0 &- q0) &+ abs(p1 &- q1) &>> 1 <= limit }

  @inline(__always)
  func isSmooth(_ limit: Int32) -> Bool {
    let (p3, p2) = unsafe (Int32(q[-4 &* step]), Int32(q[-3 &* step]))
    let (q2, q3) = unsafe (Int32(q[2 &* step]), Int32(q[3 &* step]))
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
  func filterValue(fromOuter outer: Int32) -> Int32 { clamped(outer &+ 3 &* (q0 &- p0)) }

  /// Adds ⌊clamp(value + 3) / 8⌋ to p0 and subtracts ⌊clamp(value + 4) / 8⌋ from q0. Returns the second number.
  @inline(__always)
  func adjust(by value: Int32) -> Int32 {
    let subtracted = min(value &+ 4, 127) &>> 3
    unsafe q[0] = pixel(q0 &- subtracted)
    unsafe q[-step] = pixel(p0 &+ min(value &+ 3, 127) &>> 3)
    return subtracted
  }

  /// Moves the two pixels that are `distance` pixels away from p0 and q0 toward each other.
  @inline(__always)
  func move(_ distance: Int, by value: Int32) {
    let (p, q) = unsafe (q - (distance &+ 1) &* step, q + distance &* step)
    unsafe p.pointee = pixel(Int32(p.pointee) &+ value)
    unsafe q.pointee = pixel(Int32(q.pointee) &- value)
  }
}

@inline(__always)
private func clamped(_ value: Int32) -> Int32 { max(-128, min(127, value)) }

@inline(__always)
private func pixel(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
