import PureWebP

/// A line of `references/animations.tsv`: the frames of an animation, composed in one layout.
public struct AnimationReference: Sendable {
  public let file: String
  /// Nil where libwebp makes no decoder for the file.
  private let expected: Playback?
  private let options: WebP.DecodeOptions

  /// What the animation says, and the frames up to the first that is damaged.
  private struct Playback: Equatable {
    var canvas: [Int]
    var loopCount: Int
    var background: UInt32
    var frameCount: Int
    /// When each ends and the sum of the canvas.
    var frames: [String]
    var isDamaged: Bool
  }

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: "-")
    guard fields[2] != "refused" else {
      expected = nil
      return
    }
    let isDamaged = fields.last == "damaged"
    expected = Playback(
      canvas: [Int(fields[2])!, Int(fields[3])!], loopCount: Int(fields[4])!, background: UInt32(fields[5], radix: 16)!,
      frameCount: Int(fields[6])!, frames: Array(fields[7...].dropLast(isDamaged ? 1 : 0)), isDamaged: isDamaged)
  }

  /// In what PureWebP's answer differs.
  public func differences(of file: [UInt8]) -> [String] {
    guard let animation = try? WebP.Animation(file, options: options) else {
      return expected == nil ? [] : ["refused"]
    }
    guard let expected else { return ["not refused"] }
    var actual = Playback(
      canvas: [animation.width, animation.height], loopCount: animation.loopCount,
      background: animation.backgroundColor, frameCount: animation.frameCount, frames: [], isDamaged: false)
    var frames = animation.makeIterator()
    do {
      while let frame = try frames.nextFrame() {
        actual.frames.append("\(frame.timestamp):\(hexadecimal(CRC32.sum(frame.image.pixels.span)))")
      }
    } catch {
      actual.isDamaged = true
      if error.frame != actual.frames.count { return ["frame \(actual.frames.count): the error says \(error)"] }
    }
    return actual == expected ? [] : ["\(actual) instead of \(expected)"]
  }

  /// The frames taken each by itself, from the last to the first, in which they differ from those taken in order.
  public func differencesOfSingleFrames(of file: [UInt8]) -> [String] {
    guard let expected, let animation = try? WebP.Animation(file, options: options) else { return [] }
    return expected.frames.indices.reversed().compactMap { index in
      guard let frame = try? animation.frame(at: index) else { return "frame \(index): an error" }
      let actual = "\(frame.timestamp):\(hexadecimal(CRC32.sum(frame.image.pixels.span)))"
      return actual == expected.frames[index] ? nil : "frame \(index): \(actual) instead of \(expected.frames[index])"
    }
  }
}
