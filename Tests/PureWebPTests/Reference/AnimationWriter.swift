import ConformanceGenerator
import TestSupport

@testable import PureWebP

/// The pixels of an image: R, G, B and A of each.
struct PixelGrid: Equatable {
  var width: Int
  var height: Int
  var pixels: [SIMD4<UInt8>]

  init(width: Int, height: Int, pixels: [SIMD4<UInt8>]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Random pixels. They are transparent, opaque or translucent in varying proportions.
  init(width: Int, height: Int, using random: inout SplitMix64) {
    let alphas: [UInt8] = [[0], [255], [0, 255], [0, 1, 2, 127, 128, 254, 255], Array(0...255)].randomElement(
      using: &random)!
    pixels = (0..<width * height).map { _ in
      let bits = UInt32.random(in: 0...(.max), using: &random)
      let alpha = alphas.randomElement(using: &random)!
      return SIMD4(
        UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits >> 16),
        alpha)
    }
    self.width = width
    self.height = height
  }

  var bytes: ContiguousArray<UInt8> {
    ContiguousArray(pixels.flatMap { [$0.x, $0.y, $0.z, $0.w] })
  }
}

/// A frame to be written.
struct PlainFrame {
  var picture: PixelGrid
  var x = 0
  var y = 0
  var duration = 0
  var isBlended = true
  var isDisposed = false
  /// The alpha flag of the VP8L header. The pixels may be transparent regardless.
  var hasAlpha = true
}

extension FileWriter {
  /// A VP8L stream (RFC 9649, section 3) without transforms. Each channel of a pixel is coded in eight bits.
  static func vp8L(_ picture: PixelGrid, hasAlpha: Bool = true) -> [UInt8] {
    var bytes = vp8LHeader(width: picture.width, height: picture.height, alpha: hasAlpha)
    var bits: [Bool] = []
    func put(_ value: Int, _ count: Int) { for bit in 0..<count { bits.append(value >> bit & 1 == 1) } }
    put(0, 3)  // no transform, no color cache, no meta prefix codes
    for symbols in [280, 256, 256, 256] {
      put(0, 1)  // a normal code: its code lengths are coded by another prefix code
      put(12 - 4, 4)
      for lengthSymbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] {
        put(lengthSymbol == 0 || lengthSymbol == 8 ? 1 : 0, 3)
      }
      put(0, 1)
      for symbol in 0..<symbols { put(symbol < 256 ? 1 : 0, 1) }  // eight bits for each value of a byte
    }
    put(0b0001, 4)  // distances: a simple code of one symbol, 0
    for pixel in picture.pixels {
      for value in [pixel.y, pixel.x, pixel.z, pixel.w] {
        for bit in (0..<8).reversed() { put(Int(value) >> bit & 1, 1) }
      }
    }
    for start in stride(from: 0, to: bits.count, by: 8) {
      let byte = (0..<min(8, bits.count - start)).reduce(0) { $0 | (bits[start + $1] ? 1 << $1 : 0) }
      bytes.append(UInt8(byte))
    }
    return bytes
  }

  /// An ANMF chunk.
  ///
  /// - Parameter chunks: its contents. By default, the frame's image.
  static func anmf(_ frame: PlainFrame, chunks: [UInt8]? = nil) -> [UInt8] {
    let flags: UInt8 = (frame.isDisposed ? 1 : 0) | (frame.isBlended ? 0 : 2)
    let header =
      littleEndian(frame.x / 2, bytes: 3) + littleEndian(frame.y / 2, bytes: 3)
      + littleEndian(frame.picture.width - 1, bytes: 3) + littleEndian(frame.picture.height - 1, bytes: 3)
      + littleEndian(frame.duration, bytes: 3) + [flags]
    return chunk("ANMF", header + (chunks ?? chunk("VP8L", vp8L(frame.picture, hasAlpha: frame.hasAlpha))))
  }

  static func anim(background: UInt32 = 0, loopCount: Int = 0) -> [UInt8] {
    chunk("ANIM", littleEndian(Int(background), bytes: 4) + littleEndian(loopCount, bytes: 2))
  }

  static func animation(width: Int, height: Int, loopCount: Int = 0, _ frames: [PlainFrame]) -> [UInt8] {
    riff(
      vp8X(flags: 0x12, width: width, height: height), anim(background: 0x8040_2010, loopCount: loopCount),
      frames.flatMap { anmf($0) })
  }
}
