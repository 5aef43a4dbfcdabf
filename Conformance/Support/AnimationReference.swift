import PureWebP
import WebPExport

/// A line of `references/animations.tsv`: the frames of an animation, composed in one layout.
public struct AnimationReference: TableLine {
  public let file: String
  /// Nil if libwebp rejects the file.
  private let expected: AnimationPlayback?
  private let options: WebP.DecodeOptions

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: "-")
    guard fields[2] != "refused" else {
      expected = nil
      return
    }
    let isDamaged = fields.last == "damaged"
    expected = AnimationPlayback(
      canvas: [Int(fields[2])!, Int(fields[3])!], loopCount: Int(fields[4])!, background: UInt32(fields[5], radix: 16)!,
      frameCount: Int(fields[6])!, frames: Array(fields[7...].dropLast(isDamaged ? 1 : 0)), isDamaged: isDamaged)
  }

  /// Returns the differences between PureWebP's result and the reference.
  public func differences(of file: [UInt8]) -> [String] {
    AnimationPlayback.differences(of: file, options, from: expected)
  }

  /// Returns the differences between frames that are decoded individually, from last to first, and the reference.
  public func differencesOfSingleFrames(of file: [UInt8]) -> [String] {
    guard let expected, let animation = try? WebP.Animation(file, options: options) else { return [] }
    return expected.frames.indices.reversed().compactMap { index in
      guard let frame = try? animation.frame(at: index) else { return "frame \(index): an error" }
      let actual = AnimationPlayback.frame(end: animation.storedEnd(ofFrame: index), crc32(frame.image.pixels.span))
      return actual == expected.frames[index] ? nil : "frame \(index): \(actual) instead of \(expected.frames[index])"
    }
  }
}
