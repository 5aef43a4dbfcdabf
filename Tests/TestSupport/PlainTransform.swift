/// The inverse transforms of RFC 9649, section 3.5, pixel by pixel. Pixels are R G B A, red lowest.
package enum PlainTransform {
  case predictor(modes: [Int], blockBits: Int)
  case color(elements: [UInt32], blockBits: Int)
  case subtractGreen
  case colorIndexing(table: [UInt32])

  package typealias Channels = SIMD4<Int>

  package static func channels(_ pixel: UInt32) -> Channels {
    Channels(truncatingIfNeeded: SIMD4(pixel, pixel >> 8, pixel >> 16, pixel >> 24) & 255)
  }

  package static func pixel(_ channels: Channels) -> UInt32 {
    (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(channels[$1] & 255) }
  }

  package static func blocks(_ width: Int, _ bits: Int) -> Int { (width + (1 << bits) - 1) / (1 << bits) }

  /// The number of indices in a pixel.
  package static func bundle(_ count: Int) -> Int { count <= 2 ? 8 : count <= 4 ? 4 : count <= 16 ? 2 : 1 }

  /// The width before the inverse transform.
  package func codedWidth(_ width: Int) -> Int {
    guard case .colorIndexing(let table) = self else { return width }
    let bundle = Self.bundle(table.count)
    return (width + bundle - 1) / bundle
  }

  package func undone(_ pixels: [UInt32], width: Int, height: Int) -> [UInt32] {
    var result: [UInt32] = []
    for y in 0..<height {
      for x in 0..<width {
        switch self {
        case .subtractGreen:
          let c = Self.channels(pixels[y * width + x])
          result.append(Self.pixel([c[0] + c[1], c[1], c[2] + c[1], c[3]]))
        case .color(let elements, let bits):
          let element = Self.channels(elements[(y >> bits) * Self.blocks(width, bits) + x >> bits])
          func delta(_ t: Int, _ c: Int) -> Int {
            (Int(Int8(truncatingIfNeeded: t)) * Int(Int8(truncatingIfNeeded: c))) >> 5
          }
          var c = Self.channels(pixels[y * width + x])
          c[0] += delta(element[2], c[1])
          c[2] += delta(element[1], c[1]) + delta(element[0], c[0])
          result.append(Self.pixel(c))
        case .colorIndexing(let table):
          let bundle = Self.bundle(table.count)
          let byte = Int(pixels[y * codedWidth(width) + x / bundle] >> 8 & 255)
          let bits = 8 / bundle
          let index = byte >> (x % bundle * bits) & (1 << bits - 1)
          result.append(index < table.count ? table[index] : 0)
        case .predictor(let modes, let bits):
          let residual = Self.channels(pixels[y * width + x])
          let mode = modes[(y >> bits) * Self.blocks(width, bits) + x >> bits]
          let predicted = Self.prediction(mode, x, y, width, result)
          result.append(Self.pixel(residual &+ predicted))
        }
      }
    }
    return result
  }

  private static func prediction(_ mode: Int, _ x: Int, _ y: Int, _ width: Int, _ done: [UInt32]) -> Channels {
    let black = Channels(0, 0, 0, 255)
    if x == 0, y == 0 { return black }
    let here = done.count
    func at(_ back: Int) -> Channels { channels(done[here - back]) }
    if y == 0 { return at(1) }
    if x == 0 { return at(width) }
    let (l, t, tl, tr) = (at(1), at(width), at(width + 1), at(width - 1))
    func average(_ a: Channels, _ b: Channels) -> Channels { (a &+ b) / 2 }
    func clamped(_ c: Channels) -> Channels { c.clamped(lowerBound: .zero, upperBound: Channels(repeating: 255)) }
    switch mode {
    case 1: return l
    case 2: return t
    case 3: return tr
    case 4: return tl
    case 5: return average(average(l, tr), t)
    case 6: return average(l, tl)
    case 7: return average(l, t)
    case 8: return average(tl, t)
    case 9: return average(t, tr)
    case 10: return average(average(l, tl), average(t, tr))
    case 11:
      // The distances of L and T from L + T − TL.
      let estimate = l &+ t &- tl
      let fromL = (0..<4).reduce(0) { $0 + abs(estimate[$1] - l[$1]) }
      let fromT = (0..<4).reduce(0) { $0 + abs(estimate[$1] - t[$1]) }
      return fromL < fromT ? l : t
    case 12: return clamped(l &+ t &- tl)
    case 13:
      let a = average(l, t)
      return clamped(a &+ (a &- tl) / 2)
    default: return black
    }
  }
}
