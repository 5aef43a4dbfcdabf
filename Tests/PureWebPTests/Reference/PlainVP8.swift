// Reference implementations of the VP8 kernels, one pixel at a time, written from RFC 6386 and not from the kernels.

import WebPFormat

@testable import PureWebP

enum PlainVP8 {
  static func clip(_ value: Int) -> UInt8 { UInt8(min(max(value, 0), 255)) }

  // MARK: Transforms

  /// Section 14.3, in the order of its listing.
  static func inverseWHT(_ input: [Int16]) -> [Int16] {
    var t = [Int](repeating: 0, count: 16)
    for i in 0..<4 {
      let a1 = Int(input[i]) + Int(input[12 + i])
      let b1 = Int(input[4 + i]) + Int(input[8 + i])
      let c1 = Int(input[4 + i]) - Int(input[8 + i])
      let d1 = Int(input[i]) - Int(input[12 + i])
      (t[i], t[4 + i], t[8 + i], t[12 + i]) = (a1 + b1, c1 + d1, a1 - b1, d1 - c1)
    }
    var output = [Int16](repeating: 0, count: 16)
    for i in 0..<4 {
      let a1 = t[4 * i] + t[4 * i + 3]
      let b1 = t[4 * i + 1] + t[4 * i + 2]
      let c1 = t[4 * i + 1] - t[4 * i + 2]
      let d1 = t[4 * i] - t[4 * i + 3]
      for (j, sum) in [a1 + b1, c1 + d1, a1 - b1, d1 - c1].enumerated() {
        output[4 * i + j] = Int16(truncatingIfNeeded: (sum + 3) >> 3)
      }
    }
    return output
  }

  /// Section 14.4 with exact sums: the residual in raster order.
  static func inverseDCT(_ input: [Int16]) -> [Int] {
    func pass(_ i0: Int, _ i1: Int, _ i2: Int, _ i3: Int) -> [Int] {
      let a1 = i0 + i2
      let b1 = i0 - i2
      let c1 = (i1 * 35468) >> 16 - (i3 + (i3 * 20091) >> 16)
      let d1 = (i1 + (i1 * 20091) >> 16) + (i3 * 35468) >> 16
      return [a1 + d1, b1 + c1, b1 - c1, a1 - d1]
    }
    var t = [Int](repeating: 0, count: 16)
    for x in 0..<4 {
      let column = pass(Int(input[x]), Int(input[4 + x]), Int(input[8 + x]), Int(input[12 + x]))
      for y in 0..<4 { t[4 * y + x] = column[y] }
    }
    var output: [Int] = []
    for y in 0..<4 { output += pass(t[4 * y] + 4, t[4 * y + 1], t[4 * y + 2], t[4 * y + 3]).map { $0 >> 3 } }
    return output
  }

  /// `inverseDCT` with sums that wrap to 16 bits. The constant 35468 exceeds 16 bits, so 35468 − 65536 is used, and the
  /// multiplied value is added to the product.
  static func wrappingInverseDCT(_ input: [Int16]) -> [Int16] {
    func high(_ a: Int16, _ k: Int) -> Int16 { Int16(truncatingIfNeeded: (Int(a) * k) >> 16) }
    func pass(_ i0: Int16, _ i1: Int16, _ i2: Int16, _ i3: Int16) -> [Int16] {
      let a = i0 &+ i2
      let b = i0 &- i2
      let c = (i1 &- i3) &+ (high(i1, -30068) &- high(i3, 20091))
      let d = (i1 &+ i3) &+ (high(i1, 20091) &+ high(i3, -30068))
      return [a &+ d, b &+ c, b &- c, a &- d]
    }
    var t = [Int16](repeating: 0, count: 16)
    for x in 0..<4 {
      let column = pass(input[x], input[4 + x], input[8 + x], input[12 + x])
      for y in 0..<4 { t[4 * y + x] = column[y] }
    }
    var output: [Int16] = []
    for y in 0..<4 { output += pass(t[4 * y] &+ 4, t[4 * y + 1], t[4 * y + 2], t[4 * y + 3]).map { $0 >> 3 } }
    return output
  }

  /// Adds a residual (section 14.5). If the residual wrapped to 16 bits, the sum wraps too.
  static func sum(_ prediction: UInt8, _ residual: Int16) -> UInt8 { clip(Int(Int16(prediction) &+ residual)) }

  // MARK: Prediction

  /// Section 12.3. `above` and `left` are the edges of the block, and `corner` is between them.
  static func predict(
    _ mode: MacroblockMode, size: Int, above: [UInt8], left: [UInt8], corner: UInt8, hasAbove: Bool, hasLeft: Bool
  ) -> [UInt8] {
    var dc = 128
    let edges = (hasAbove ? above.prefix(size) : []) + (hasLeft ? left.prefix(size) : [])
    if !edges.isEmpty { dc = (edges.map(Int.init).reduce(0, +) + edges.count / 2) / edges.count }
    var block: [UInt8] = []
    for y in 0..<size {
      for x in 0..<size {
        let value: UInt8 =
          switch mode {
          case .dc: UInt8(dc)
          case .vertical: above[x]
          case .horizontal: left[y]
          case .trueMotion: clip(Int(left[y]) + Int(above[x]) - Int(corner))
          }
        block.append(value)
      }
    }
    return block
  }

  /// Section 12.3, subblocks. `above` has eight pixels, `left` four from top to bottom.
  static func predict(_ mode: SubblockMode, above: [UInt8], left: [UInt8], corner: UInt8) -> [UInt8] {
    // The RFC's array E: from the lowest pixel on the left around the corner to the last one above.
    let e = left.reversed().map(Int.init) + [Int(corner)] + above.map(Int.init)
    let b = [Int](above.map(Int.init))  // the RFC's A, with P = e[4]
    let l = left.map(Int.init)
    func avg2(_ x: Int, _ y: Int) -> Int { (x + y + 1) >> 1 }
    func avg3(_ x: Int, _ y: Int, _ z: Int) -> Int { (x + y + y + z + 2) >> 2 }
    func around(_ i: Int) -> Int { avg3(e[i - 1], e[i], e[i + 1]) }
    func pair(_ i: Int) -> Int { avg2(e[i], e[i + 1]) }
    var block = [[Int]](repeating: [Int](repeating: 0, count: 4), count: 4)
    func set(_ value: Int, _ places: (row: Int, column: Int)...) {
      for place in places { block[place.row][place.column] = value }
    }
    switch mode {
    case .dc:
      let average = (b[0] + b[1] + b[2] + b[3] + l[0] + l[1] + l[2] + l[3] + 4) >> 3
      for r in 0..<4 { for c in 0..<4 { block[r][c] = average } }
    case .trueMotion:
      for r in 0..<4 { for c in 0..<4 { block[r][c] = Int(clip(l[r] + b[c] - e[4])) } }
    case .vertical:
      for r in 0..<4 { for c in 0..<4 { block[r][c] = avg3(c == 0 ? e[4] : b[c - 1], b[c], b[c + 1]) } }
    case .horizontal:
      for c in 0..<4 {
        block[0][c] = avg3(e[4], l[0], l[1])
        block[1][c] = avg3(l[0], l[1], l[2])
        block[2][c] = avg3(l[1], l[2], l[3])
        block[3][c] = avg3(l[2], l[3], l[3])
      }
    case .leftDown:
      for r in 0..<4 {
        for c in 0..<4 {
          let i = r + c
          block[r][c] = i == 6 ? avg3(b[6], b[7], b[7]) : avg3(b[i], b[i + 1], b[i + 2])
        }
      }
    case .rightDown:
      for r in 0..<4 { for c in 0..<4 { block[r][c] = around(4 - r + c) } }
    case .verticalRight:
      set(around(2), (3, 0))
      set(around(3), (2, 0))
      set(around(4), (3, 1), (1, 0))
      set(pair(4), (2, 1), (0, 0))
      set(around(5), (3, 2), (1, 1))
      set(pair(5), (2, 2), (0, 1))
      set(around(6), (3, 3), (1, 2))
      set(pair(6), (2, 3), (0, 2))
      set(around(7), (1, 3))
      set(pair(7), (0, 3))
    case .verticalLeft:
      set(avg2(b[0], b[1]), (0, 0))
      set(avg3(b[0], b[1], b[2]), (1, 0))
      set(avg2(b[1], b[2]), (2, 0), (0, 1))
      set(avg3(b[1], b[2], b[3]), (1, 1), (3, 0))
      set(avg2(b[2], b[3]), (2, 1), (0, 2))
      set(avg3(b[2], b[3], b[4]), (3, 1), (1, 2))
      set(avg2(b[3], b[4]), (2, 2), (0, 3))
      set(avg3(b[3], b[4], b[5]), (3, 2), (1, 3))
      set(avg3(b[4], b[5], b[6]), (2, 3))
      set(avg3(b[5], b[6], b[7]), (3, 3))
    case .horizontalDown:
      set(pair(0), (3, 0))
      set(around(1), (3, 1))
      set(pair(1), (2, 0), (3, 2))
      set(around(2), (2, 1), (3, 3))
      set(pair(2), (2, 2), (1, 0))
      set(around(3), (2, 3), (1, 1))
      set(pair(3), (1, 2), (0, 0))
      set(around(4), (1, 3), (0, 1))
      set(around(5), (0, 2))
      set(around(6), (0, 3))
    case .horizontalUp:
      set(avg2(l[0], l[1]), (0, 0))
      set(avg3(l[0], l[1], l[2]), (0, 1))
      set(avg2(l[1], l[2]), (0, 2), (1, 0))
      set(avg3(l[1], l[2], l[3]), (0, 3), (1, 1))
      set(avg2(l[2], l[3]), (1, 2), (2, 0))
      set(avg3(l[2], l[3], l[3]), (1, 3), (2, 1))
      set(l[3], (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (3, 3))
    }
    return block.joined().map { UInt8($0) }
  }

  // MARK: Loop filter

  enum Filter {
    case simple, inner, outer
  }

  struct Limits {
    var level: Int
    var interior: Int
    var highVariance: Int

    /// Section 15.4, for key frames.
    init(level: Int, sharpness: Int) {
      self.level = level
      interior = level
      if sharpness > 0 {
        interior >>= sharpness > 4 ? 2 : 1
        if interior > 9 - sharpness { interior = 9 - sharpness }
      }
      if interior == 0 { interior = 1 }
      highVariance = level >= 40 ? 2 : level >= 15 ? 1 : 0
    }

    func edge(_ filter: Filter, isMacroblockEdge: Bool) -> Int { (isMacroblockEdge ? level + 2 : level) * 2 + interior }
  }

  /// Section 15: filters across an edge. `pixels` are p3, p2, p1, p0, q0, q1, q2, q3.
  static func filter(_ kind: Filter, _ pixels: [UInt8], edge: Int, interior: Int, highVariance: Int) -> [UInt8] {
    func c(_ v: Int) -> Int { min(max(v, -128), 127) }
    let value = pixels.map(Int.init)
    let (p3, p2, p1, p0) = (value[0], value[1], value[2], value[3])
    let (q0, q1, q2, q3) = (value[4], value[5], value[6], value[7])
    guard abs(p0 - q0) * 2 + abs(p1 - q1) >> 1 <= edge else { return pixels }
    if kind != .simple {
      let differences = [p3 - p2, p2 - p1, p1 - p0, q1 - q0, q2 - q1, q3 - q2]
      guard differences.allSatisfy({ abs($0) <= interior }) else { return pixels }
    }
    var s = value.map { $0 - 128 }
    func commonAdjust(useOuterTaps: Bool) -> Int {
      let a = c((useOuterTaps ? c(s[2] - s[5]) : 0) + 3 * (s[4] - s[3]))
      let b = c(a + 3) >> 3
      let high = c(a + 4) >> 3
      s[4] = c(s[4] - high)
      s[3] = c(s[3] + b)
      return high
    }
    let isHigh = abs(p1 - p0) > highVariance || abs(q1 - q0) > highVariance
    switch kind {
    case .simple: _ = commonAdjust(useOuterTaps: true)
    case .inner:
      let a = (commonAdjust(useOuterTaps: isHigh) + 1) >> 1
      if !isHigh {
        s[5] = c(s[5] - a)
        s[2] = c(s[2] + a)
      }
    case .outer:
      if isHigh {
        _ = commonAdjust(useOuterTaps: true)
      } else {
        let w = c(c(s[2] - s[5]) + 3 * (s[4] - s[3]))
        for (i, k) in [(0, 27), (1, 18), (2, 9)] {
          let a = c((k * w + 63) >> 7)
          s[4 + i] = c(s[4 + i] - a)
          s[3 - i] = c(s[3 - i] + a)
        }
      }
    }
    return s.map { UInt8($0 + 128) }
  }
}
