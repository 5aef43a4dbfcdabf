import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPPlatform

/// Proves that the frame for a time is found, also after many loops.
/// Expected values: a list with the frame of each millisecond.
@Suite struct FrameRepeatsTests {
  /// The first animation repeats forever, the second one has five loops.
  @Test(arguments: [("animation-full-frames.webp", 0), ("animation-anim-twice.webp", 5)])
  func frameIndexMatchesTheTime(name: String, loops: Int) throws {
    let animation = try WebP.Animation(TestFile.vector(name))
    #expect(animation.loopCount == loops)
    // The index of the frame that is shown in each millisecond.
    let shown = animation.frames.enumerated().flatMap { index, frame in
      Array(repeating: index, count: frame.storedMilliseconds <= 10 ? 100 : frame.storedMilliseconds)
    }
    for milliseconds in 0..<shown.count * (loops + 2) {
      let isOver = loops > 0 && milliseconds >= shown.count * loops
      let expected = isOver ? animation.frameCount - 1 : shown[milliseconds % shown.count]
      #expect(animation.frameIndex(atMilliseconds: milliseconds) == expected)
    }
    #expect(animation.displayMilliseconds == shown.count)
    #expect(
      animation.frames.map(\.displayStartMilliseconds) == animation.frames.indices.map { shown.firstIndex(of: $0)! })
    let unit = animation.frameTimeUnit
    #expect(animation.frames.allSatisfy { $0.displayMilliseconds % unit == 0 })
    for larger in (unit + 1)...(shown.count + 1) {
      #expect(animation.frames.contains { $0.displayMilliseconds % larger != 0 })
    }
  }

  /// If the durations have a suitable common divisor, each frame is shown for exactly its duration.
  @Test(arguments: [[100, 300, 100], [40], [33, 34, 33], [1, 9_999]])
  func repeatsAreExact(durations: [Int]) {
    let repeats = FrameRepeats(durations)
    #expect(repeats.counts.map { $0 * repeats.unit } == durations)
  }

  /// If the durations have no suitable common divisor, the number of repetitions is bounded, and each duration is
  /// accurate to one unit.
  @Test(arguments: [[0xFF_FFFF, 11], [11, 0xFF_FFFF], Array(repeating: 0xFF_FFFF, count: 300) + [13]])
  func repeatsAreBounded(durations: [Int]) {
    for maximum in [100, 10_000] {
      let repeats = FrameRepeats(durations, atMost: maximum)
      #expect(repeats.counts.reduce(0, +) <= maximum + durations.count)
      #expect(repeats.counts.allSatisfy { $0 >= 1 })
      for (count, duration) in zip(repeats.counts, durations) {
        #expect(abs(count * repeats.unit - duration) <= repeats.unit)
      }
    }
  }

  /// All frames are oriented, also after a step back.
  @Test func framesAreOriented() throws {
    var file = try TestFile.vector("animation-full-frames.webp")
    let upright = try Array(WebP.Animation(file))
    let exif = Exif.turnedRight  // RFC 9649, section 2.7.1.5
    file += Data("EXIF".utf8) + Data([UInt8(exif.count), 0, 0, 0]) + Data(exif)
    let size = file.count - 8
    file.replaceSubrange(4..<8, with: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: size >> $0) })
    file[20] |= 8
    let player = WebPFramePlayer(try WebP.Animation(file)) { $0 }
    #expect(
      upright.count == 2 && player.canvasSize.width == upright[0].image.height
        && player.canvasSize.height == upright[0].image.width)
    for index in [0, 1, 1, 0, 1] {
      expectSame(player.image(at: index), upright[index].image.oriented(.right))
    }
  }
}
