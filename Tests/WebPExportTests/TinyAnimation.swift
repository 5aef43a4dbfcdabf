// Writes animations of lossless frames (RFC 9649, sections 2.7 and 3). A frame has one color and two alpha values. One
// bit per pixel selects the alpha value.

import TestSupport

struct TinyAnimation {
  struct Frame {
    /// Must be even.
    var x = 0
    /// Must be even.
    var y = 0
    var width: Int
    var height: Int
    var duration = 10
    var isBlended = false
    var isDisposed = false
    var color: (red: UInt8, green: UInt8, blue: UInt8) = (0, 0, 0)
    /// The two alpha values.
    var alphas: (UInt8, UInt8) = (255, 255)
    var hasSecondAlpha: (_ x: Int, _ y: Int) -> Bool = { x, y in (x + y) % 2 == 1 }
  }

  static func file(width: Int, height: Int, loops: Int, _ frames: [Frame]) -> [UInt8] {
    FileWriter.riff(
      FileWriter.vp8X(flags: 0b1_0010, width: width, height: height),
      FileWriter.chunk("ANIM", [0, 0, 0, 0] + FileWriter.littleEndian(loops, bytes: 2)), frames.flatMap(anmf))
  }

  private static func anmf(_ frame: Frame) -> [UInt8] {
    let place = [frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, frame.duration]
    let flags: UInt8 = (frame.isBlended ? 0 : 2) + (frame.isDisposed ? 1 : 0)
    return FileWriter.chunk(
      "ANMF",
      place.flatMap { FileWriter.littleEndian($0, bytes: 3) } + [flags] + FileWriter.chunk("VP8L", lossless(frame)))
  }

  private static func lossless(_ frame: Frame) -> [UInt8] {
    var bits: [Bool] = []
    func put(_ value: Int, _ count: Int) { bits += (0..<count).map { value >> $0 & 1 == 1 } }
    put(0x2F, 8)
    put(frame.width - 1, 14)
    put(frame.height - 1, 14)
    put(frame.alphas == (255, 255) ? 0 : 1, 1)  // whether alpha is used
    put(0, 3)  // version
    put(0, 3)  // no transforms, no color cache, one group of prefix codes
    func code(_ symbols: UInt8...) {
      put(1, 1)  // simple
      put(symbols.count - 1, 1)
      put(1, 1)  // the first symbol has eight bits, as the second one always has
      for symbol in symbols { put(Int(symbol), 8) }
    }
    code(frame.color.green)
    code(frame.color.red)
    code(frame.color.blue)
    code(frame.alphas.0, frame.alphas.1)
    code(0)  // distances
    for y in 0..<frame.height {
      for x in 0..<frame.width { put(frame.hasSecondAlpha(x, y) ? 1 : 0, 1) }
    }
    bits += Array(repeating: false, count: -bits.count & 7)
    return stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(0) { $0 | (bits[start + $1] ? 1 << $1 : 0) }
    }
  }
}
