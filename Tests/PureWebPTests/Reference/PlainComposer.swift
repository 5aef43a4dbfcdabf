import TestSupport

@testable import PureWebP

/// Composes frames pixel by pixel, as libwebp documents its WebPAnimDecoder. There are two canvases: the returned one,
/// and the one from which the next frame starts, after disposal.
struct PlainComposer {
  let width: Int
  let height: Int
  let isPremultiplied: Bool
  private var disposed: [SIMD4<UInt8>]
  private var previous: PlainFrame?
  private(set) var isKeyFrame = false

  init(width: Int, height: Int, isPremultiplied: Bool) {
    self.width = width
    self.height = height
    self.isPremultiplied = isPremultiplied
    disposed = Array(repeating: .zero, count: width * height)
  }

  mutating func compose(_ frame: PlainFrame) -> PixelGrid {
    func isFull(_ frame: PlainFrame) -> Bool { frame.picture.width == width && frame.picture.height == height }
    if let previous {
      isKeyFrame =
        (isFull(frame) && (!frame.hasAlpha || !frame.isBlended))
        || (previous.isDisposed && (isFull(previous) || isKeyFrame))
    } else {
      isKeyFrame = true
    }
    var canvas = isKeyFrame ? Array(repeating: .zero, count: width * height) : disposed
    for (index, pixel) in frame.picture.pixels.enumerated() {
      let (x, y) = (frame.x + index % frame.picture.width, frame.y + index / frame.picture.width)
      let source = isPremultiplied ? Self.premultiplied(pixel) : pixel
      let wasWiped = previous.map { $0.isDisposed && Self.contains($0, x, y) } ?? false
      let isBlended = previous != nil && frame.isBlended && !isKeyFrame && !wasWiped
      canvas[y * width + x] = isBlended ? blend(source, over: disposed[y * width + x]) : source
    }
    disposed = canvas
    if frame.isDisposed {
      for y in 0..<height {
        for x in 0..<width where Self.contains(frame, x, y) { disposed[y * width + x] = .zero }
      }
    }
    previous = frame
    return PixelGrid(width: width, height: height, pixels: canvas)
  }

  func blend(_ s: SIMD4<UInt8>, over d: SIMD4<UInt8>) -> SIMD4<UInt8> {
    isPremultiplied ? Self.blendPremultiplied(s, d) : Self.blendStraight(s, d)
  }

  private static func contains(_ frame: PlainFrame, _ x: Int, _ y: Int) -> Bool {
    frame.x..<frame.x + frame.picture.width ~= x && frame.y..<frame.y + frame.picture.height ~= y
  }

  private static func premultiplied(_ pixel: SIMD4<UInt8>) -> SIMD4<UInt8> {
    var result = pixel
    for channel in 0..<3 { result[channel] = UInt8(Int(pixel[channel]) * Int(pixel.w) / 255) }
    return result
  }

  private static func blendStraight(_ s: SIMD4<UInt8>, _ d: SIMD4<UInt8>) -> SIMD4<UInt8> {
    if s.w == 255 { return s }
    if s.w == 0 { return d }
    let kept = Int(d.w) * (256 - Int(s.w)) / 256
    let alpha = Int(s.w) + kept
    let scale = (1 << 24) / alpha
    var result = SIMD4<UInt8>(repeating: UInt8(alpha))
    for channel in 0..<3 {
      let sum: Int = Int(s[channel]) * Int(s.w) + Int(d[channel]) * kept
      result[channel] = UInt8(sum * scale / (1 << 24))
    }
    return result
  }

  private static func blendPremultiplied(_ s: SIMD4<UInt8>, _ d: SIMD4<UInt8>) -> SIMD4<UInt8> {
    var result = s
    for channel in 0..<4 { result[channel] += UInt8(Int(d[channel]) * (256 - Int(s.w)) / 256) }
    return result
  }
}
