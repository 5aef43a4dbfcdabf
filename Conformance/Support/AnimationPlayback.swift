import PureWebP
import WebPExport

/// The properties of an animation, and its frames up to the first corrupt one.
public struct AnimationPlayback: Equatable, Sendable {
  /// The width and height of the canvas.
  public var canvas: [Int]
  public var loopCount: Int
  public var background: UInt32
  public var frameCount: Int
  /// The end time of each frame and the CRC-32 of the canvas, as ``frame(end:_:)`` formats them.
  public var frames: [String]
  public var isDamaged: Bool

  public init(
    canvas: [Int], loopCount: Int, background: UInt32, frameCount: Int, frames: [String] = [], isDamaged: Bool = false
  ) {
    self.canvas = canvas
    self.loopCount = loopCount
    self.background = background
    self.frameCount = frameCount
    self.frames = frames
    self.isDamaged = isDamaged
  }

  public static func frame(end: Int, _ sum: UInt32) -> String { "\(end):\(hexadecimal(sum))" }

  /// Returns the differences between PureWebP's result and `expected`, which is nil if libwebp rejects the file.
  public static func differences(
    of file: [UInt8], _ options: WebP.DecodeOptions, from expected: AnimationPlayback?
  ) -> [String] {
    guard let animation = try? WebP.Animation(file, options: options) else {
      return expected == nil ? [] : ["refused"]
    }
    guard let expected else { return ["not refused"] }
    var actual = AnimationPlayback(
      canvas: [animation.canvasSize.width, animation.canvasSize.height], loopCount: animation.loopCount,
      background: animation.backgroundColor.argb, frameCount: animation.frameCount)
    var frames = animation.makeIterator()
    do {
      while let frame = try frames.nextFrame() {
        actual.frames.append(Self.frame(end: animation.storedEnd(ofFrame: frame.index), crc32(frame.image.pixels.span)))
      }
    } catch {
      actual.isDamaged = true
      if error.frame != actual.frames.count { return ["frame \(actual.frames.count): the error says \(error)"] }
    }
    return actual == expected ? [] : ["\(actual) instead of \(expected)"]
  }
}

extension WebP.Animation {
  /// The timestamp of a frame in libwebp's decoder: the sum of the stored durations through the frame.
  func storedEnd(ofFrame index: Int) -> Int { frames[...index].reduce(0) { $0 + $1.storedMilliseconds } }
}

extension WebP.Color {
  /// The color as 0xAARRGGBB.
  fileprivate var argb: UInt32 { [alpha, red, green, blue].reduce(0) { $0 << 8 | UInt32($1) } }
}
