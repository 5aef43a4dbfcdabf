import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that animations do not depend on the number of threads, including corrupt ones.
/// Expected values: the frames that one thread decodes.
@Suite(.helpers(4)) struct AnimationThreadsTests {
  private static let files = Conformance.files(in: "animations.tsv", of: AnimationReference.self)

  /// Options with which several threads decode even the smallest frames in advance.
  private static func options(threads: Int, _ format: WebP.PixelFormat = .rgba) -> WebP.DecodeOptions {
    WebP.DecodeOptions(format: format, threads: WebP.Threads(count: threads, batchPixels: 1))
  }

  private struct Outcome: Equatable {
    var frames: [WebP.Animation.Frame] = []
    var error = ""
  }

  private static func outcome(_ bytes: [UInt8], _ options: WebP.DecodeOptions) -> Outcome {
    var outcome = Outcome()
    do throws(WebP.DecodeError) {
      var frames = try WebP.Animation(recovering: bytes, options: options).makeIterator()
      while let frame = try frames.nextFrame() { outcome.frames.append(frame) }
    } catch {
      outcome.error = "\(error) \(error.status) \(error.finishedRows)"
    }
    return outcome
  }

  @Test(arguments: [2, 5]) func canvasesDoNotDependOnThreads(threads: Int) {
    #expect(Self.files.count > 400)
    for (name, bytes) in Self.files {
      for format in [WebP.PixelFormat.rgba, .bgraPremultiplied, .rgb] {
        let expected = Self.outcome(bytes, Self.options(threads: 1, format))
        expectSame(Self.outcome(bytes, Self.options(threads: threads, format)), expected, "\(name)")
      }
    }
  }

  @Test(arguments: [2, 5]) func errorsDoNotDependOnThreads(threads: Int) {
    var random = SplitMix64(seed: 31)
    var errors = 0
    for (name, bytes) in Self.files where bytes.count > 200 {
      var damaged = bytes.prefix(Int.random(in: bytes.count * 3 / 4...bytes.count, using: &random))
      for _ in 0..<3 {
        damaged[Int.random(in: 60..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let expected = Self.outcome(Array(damaged), Self.options(threads: 1))
      expectSame(Self.outcome(Array(damaged), Self.options(threads: threads)), expected, "\(name)")
      errors += expected.error.contains("frame") ? 1 : 0
    }
    #expect(errors > 20, "too few corrupt frames to compare")
  }

  @Test func anyFrameCanBeRequested() throws {
    let bytes = try Array(Conformance.vector("animation-random-7.webp"))
    let one = Array(try WebP.Animation(bytes, options: Self.options(threads: 1)))
    let animation = try WebP.Animation(bytes, options: Self.options(threads: 3))
    #expect(one.count > 3)
    for index in one.indices.reversed() {
      try expectSame(animation.frame(at: index), one[index])
      expectSame(Array(IteratorSequence(try animation.makeIterator(at: index))), Array(one[index...]))
    }
  }

  /// One thread blends a few rows at a time, two threads blend complete frames. The results are equal, even if the loop
  /// filter defers rows.
  @Test func blendingByRowsMatchesBlendingOfCompleteFrames() {
    var frames = 0
    for seed in 0..<200 {
      var choices = Choices(seed: UInt64(seed))
      let bytes = choices.animation(width: 20, height: 64)
      let expected = Self.outcome(bytes, Self.options(threads: 2))
      expectSame(Self.outcome(bytes, Self.options(threads: 1)), expected, "seed \(seed)")
      frames += expected.frames.count
    }
    #expect(frames > 200)
  }

  /// Frames that cover the complete canvas, each a key frame.
  private static func keyFrames(_ count: Int, _ options: WebP.DecodeOptions) throws -> WebP.Animation {
    var random = SplitMix64(seed: 32)
    let frames = (0..<count).map { _ in
      PlainFrame(picture: PixelGrid(width: 4, height: 4, using: &random), isBlended: false)
    }
    return try WebP.Animation(FileWriter.animation(width: 4, height: 4, frames), options: options)
  }

  /// Each of the four other threads decodes one frame in advance. Together, these frames have at most `maximumPixels`
  /// pixels. Frames from `end` on are not decoded.
  @Test(arguments: [(pictures: 10, end: 9, ahead: 1...4), (2, 9, 1...2), (1, 9, 1...1), (10, 4, 1...3)])
  func prefetchedFramesStayWithinTheLimit(pictures: Int, end: Int, ahead: ClosedRange<Int>) throws {
    var options = Self.options(threads: 5)
    options.limits.maximumPixels = pictures * 16
    let animation = try Self.keyFrames(9, options)
    var frames = try #require(FramePrefetcher(animation, from: 0, format: .rgba))
    frames.decode(after: 0, before: end)
    let decoded = try (0..<9).filter { try frames.pixels(of: $0) != nil }
    expectSame(decoded, Array(ahead))
  }

  /// For a single requested frame, no other frame is decoded.
  @Test func prefetchingBeginsWithTheSecondFrame() throws {
    var frames = try Self.keyFrames(9, Self.options(threads: 5)).makeIterator(at: 3)
    #expect(frames.next()?.index == 3 && frames.prefetcher == nil)
    #expect(frames.next()?.index == 4 && frames.prefetcher != nil)
  }
}
