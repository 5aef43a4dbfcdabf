package import ConformanceGenerator

/// The pixels of an image: R, G, B and A of each.
package struct PixelGrid: Equatable {
  package var width: Int
  package var height: Int
  package var pixels: [SIMD4<UInt8>]

  package init(width: Int, height: Int, pixels: [SIMD4<UInt8>]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Random pixels. They are transparent, opaque or translucent in varying proportions.
  package init(width: Int, height: Int, using random: inout SplitMix64) {
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

  package var bytes: ContiguousArray<UInt8> {
    ContiguousArray(pixels.flatMap { [$0.x, $0.y, $0.z, $0.w] })
  }
}

/// A frame to be written.
package struct PlainFrame {
  package var picture: PixelGrid
  package var x: Int
  package var y: Int
  package var duration: Int
  package var isBlended: Bool
  package var isDisposed: Bool
  /// The alpha flag of the VP8L header. The pixels may be transparent regardless.
  package var hasAlpha: Bool

  package init(
    picture: PixelGrid, x: Int = 0, y: Int = 0, duration: Int = 0, isBlended: Bool = true, isDisposed: Bool = false,
    hasAlpha: Bool = true
  ) {
    self.picture = picture
    self.x = x
    self.y = y
    self.duration = duration
    self.isBlended = isBlended
    self.isDisposed = isDisposed
    self.hasAlpha = hasAlpha
  }

  /// A frame of one color, which is not blended by default. The two alpha values alternate.
  package init(
    x: Int = 0, y: Int = 0, width: Int, height: Int, duration: Int = 10, isBlended: Bool = false,
    isDisposed: Bool = false, color: (red: UInt8, green: UInt8, blue: UInt8), alphas: (UInt8, UInt8) = (255, 255)
  ) {
    let pixels = (0..<width * height).map { pixel in
      let isEven = (pixel / width + pixel % width) % 2 == 0
      return SIMD4(color.red, color.green, color.blue, isEven ? alphas.0 : alphas.1)
    }
    self.init(
      picture: PixelGrid(width: width, height: height, pixels: pixels), x: x, y: y, duration: duration,
      isBlended: isBlended, isDisposed: isDisposed, hasAlpha: alphas != (255, 255))
  }
}

extension FileWriter {
  /// A VP8L stream (RFC 9649, section 3) without transforms. Each channel of a pixel is coded in eight bits.
  package static func vp8L(_ picture: PixelGrid, hasAlpha: Bool = true) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0, 3)  // no transform, no color cache, no meta prefix codes
    for symbols in [280, 256, 256, 256] {
      bits.write(0, 1)  // a normal code: its code lengths are coded by another prefix code
      bits.write(12 - 4, 4)
      for lengthSymbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] {
        bits.write(lengthSymbol == 0 || lengthSymbol == 8 ? 1 : 0, 3)
      }
      bits.write(0, 1)
      for symbol in 0..<symbols { bits.write(symbol < 256 ? 1 : 0, 1) }  // eight bits for each value of a byte
    }
    bits.write(0b0001, 4)  // distances: a simple code of one symbol, 0
    for pixel in picture.pixels {
      for value in [pixel.y, pixel.x, pixel.z, pixel.w] {
        for bit in (0..<8).reversed() { bits.write(Int(value) >> bit & 1, 1) }
      }
    }
    return vp8LHeader(width: picture.width, height: picture.height, alpha: hasAlpha) + bits.bytes
  }

  /// An ANMF chunk.
  ///
  /// - Parameter chunks: its contents. By default, the frame's image.
  package static func anmf(_ frame: PlainFrame, chunks: [UInt8]? = nil) -> [UInt8] {
    let flags: UInt8 = (frame.isDisposed ? 1 : 0) | (frame.isBlended ? 0 : 2)
    let header =
      littleEndian(frame.x / 2, bytes: 3) + littleEndian(frame.y / 2, bytes: 3)
      + littleEndian(frame.picture.width - 1, bytes: 3) + littleEndian(frame.picture.height - 1, bytes: 3)
      + littleEndian(frame.duration, bytes: 3) + [flags]
    return chunk("ANMF", header + (chunks ?? chunk("VP8L", vp8L(frame.picture, hasAlpha: frame.hasAlpha))))
  }

  package static func anim(background: UInt32 = 0, loopCount: Int = 0) -> [UInt8] {
    chunk("ANIM", littleEndian(Int(background), bytes: 4) + littleEndian(loopCount, bytes: 2))
  }

  package static func animation(width: Int, height: Int, loopCount: Int = 0, _ frames: [PlainFrame]) -> [UInt8] {
    riff(
      vp8X(flags: 0x12, width: width, height: height), anim(background: 0x8040_2010, loopCount: loopCount),
      frames.flatMap { anmf($0) })
  }
}
