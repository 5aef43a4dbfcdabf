// The order in which the edges of a macroblock are filtered (RFC 6386, section 15.1).
//
// Unsafe code: They filter only edges inside of the image: eight lines or columns on each side of them exist, of
// which the simple filter reads two.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The edges of a macroblock that are filtered.
struct MacroblockEdges {
  let strength: FilterStrength
  let isSimple: Bool
  let hasLeft: Bool
  let hasUpper: Bool
  let filtersSubblockEdges: Bool

  /// Filters the edges of luma, or of U and V.
  ///
  /// - Parameters:
  ///   - first: the first pixel of the macroblock in the plane of luma or U. Eight positions of the left edge and eight
  ///     positions of the upper edge begin there.
  ///   - secondLeft: the first of the other eight positions of the left edge.
  ///   - secondUpper: the first of the other eight positions of the upper edge.
  ///   - size: the side of a macroblock in the plane: 16 or 8 pixels.
  func filter(
    _ first: UnsafeMutableRawPointer, secondLeft: UnsafeMutableRawPointer, secondUpper: UnsafeMutableRawPointer,
    stride: Int, size: Int
  ) {
    for direction in 0..<2 {
      let isVertical = direction == 0
      let (second, step) = unsafe isVertical ? (secondLeft, 1) : (secondUpper, stride)
      for offset in Swift.stride(from: 0, to: size, by: 4) {
        guard offset > 0 ? filtersSubblockEdges : isVertical ? hasLeft : hasUpper else { continue }
        unsafe filterEdge(
          first + offset &* step, second + offset &* step, stride: stride, isVertical: isVertical, strength,
          isSimple ? .simple : offset > 0 ? .subblockEdge : .macroblockEdge, margin: offset > 0 ? 0 : 4)
      }
    }
  }
}

/// The simple filter (section 15.2), and the normal filters of both kinds of edges (section 15.3).
enum EdgeFilter { case simple, subblockEdge, macroblockEdge }
