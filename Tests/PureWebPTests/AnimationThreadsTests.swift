import ConformanceGenerator
import ConformanceSupport
import TestSupport
import Testing

@testable import PureWebP

/// Frames decoded by several threads against those that one decodes.
@Suite struct AnimationThreadsTests {
  private static let files: [(name: String, bytes: [UInt8])] =
    ((try? Conformance.table("animations.tsv", of: AnimationReference.self)) ?? []).compactMap { reference in
      (try? Conformance.vector(reference.file)).map { (reference.file, Array($0)) }
    }

  /// Even the smallest frame is decoded ahead.
  private static func options(threads: Int, _ format: WebP.PixelFormat = .rgba) -> WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.format = format
    options.threads = WebP.Threads(count: threads, pixelsAtOnce: 1)
    return options
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

  @Test(arguments: [2, 5]) func canvasesAreThoseOfOneThread(threads: Int) {
    #expect(Self.files.count > 400)
    for (name, bytes) in Self.files {
      for format in [WebP.PixelFormat.rgba, .bgraPremultiplied, .rgb] {
        let expected = Self.outcome(bytes, Self.options(threads: 1, format))
        #expect(Self.outcome(bytes, Self.options(threads: threads, format)) == expected, "\(name)")
      }
    }
  }

  @Test(arguments: [2, 5]) func damageShowsInTheSameFrame(threads: Int) {
    var random = SplitMix64(seed: 31)
    var errors = 0
    for (name, bytes) in Self.files where bytes.count > 200 {
      var damaged = bytes.prefix(Int.random(in: bytes.count * 3 / 4...bytes.count, using: &random))
      for _ in 0..<3 {
        damaged[Int.random(in: 60..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let expected = Self.outcome(Array(damaged), Self.options(threads: 1))
      #expect(Self.outcome(Array(damaged), Self.options(threads: threads)) == expected, "\(name)")
      errors += expected.error.contains("frame") ? 1 : 0
    }
    #expect(errors > 20, "or nothing is told")
  }

  @Test func anyFrameMayBeAskedFor() throws {
    let bytes = try Array(Conformance.vector("animation-random-7.webp"))
    let one = Array(try WebP.Animation(bytes, options: Self.options(threads: 1)))
    let animation = try WebP.Animation(bytes, options: Self.options(threads: 3))
    #expect(one.count > 3)
    for index in one.indices.reversed() {
      #expect(try animation.frame(at: index) == one[index])
      #expect(Array(IteratorSequence(try animation.makeIterator(at: index))) == Array(one[index...]))
    }
  }

  @Test func aCopiedIteratorGoesItsOwnWay() throws {
    let bytes = try Array(Conformance.vector("animation-random-7.webp"))
    let expected = Array(try WebP.Animation(bytes, options: Self.options(threads: 1)))
    var iterator = try WebP.Animation(bytes, options: Self.options(threads: 3)).makeIterator()
    for index in expected.indices {
      let copy = iterator
      #expect(iterator.next() == expected[index])
      #expect(Array(IteratorSequence(copy)) == Array(expected[index...]))
    }
  }

  /// One thread blends the few rows that it holds, two threads frames that are whole: also where the loop filter holds
  /// rows back.
  @Test func rowsThatAreHeldAreThoseOfWholeFrames() {
    var frames = 0
    for seed in 0..<200 {
      var choices = Choices(seed: UInt64(seed))
      let bytes = choices.animation(width: 20, height: 64)
      let expected = Self.outcome(bytes, Self.options(threads: 2))
      #expect(Self.outcome(bytes, Self.options(threads: 1)) == expected, "seed \(seed)")
      frames += expected.frames.count
    }
    #expect(frames > 200)
  }

  /// Frames of the whole canvas, each by itself.
  private static func keyFrames(_ count: Int, _ options: WebP.DecodeOptions) throws -> WebP.Animation {
    var random = SplitMix64(seed: 32)
    let frames = (0..<count).map { _ in
      PlainFrame(picture: PixelGrid(width: 4, height: 4, using: &random), isBlended: false)
    }
    return try WebP.Animation(FileWriter.animation(width: 4, height: 4, frames), options: options)
  }

  /// Each helper has one frame, but all of them together no more pixels than one picture may have; and no frame is decoded
  /// from the end on.
  @Test(arguments: [(pictures: 10, end: 9, ahead: 1...4), (2, 9, 1...2), (1, 9, 1...1), (10, 4, 1...3)])
  func framesAheadStayWithinTheLimit(pictures: Int, end: Int, ahead: ClosedRange<Int>) throws {
    var options = Self.options(threads: 5)
    options.limits.maximumPixels = pictures * 16
    let animation = try Self.keyFrames(9, options)
    var frames = try #require(FramesAhead(animation, from: 0, format: .rgba))
    frames.decode(behind: 0, before: end)
    let decoded = try (0..<9).filter { try frames.picture(of: $0) != nil }
    #expect(decoded == Array(ahead))
  }

  /// Whoever wants a single frame has no others decoded.
  @Test func framesAreDecodedAheadOnceASecondIsAskedFor() throws {
    var frames = try Self.keyFrames(9, Self.options(threads: 5)).makeIterator(at: 3)
    #expect(frames.next()?.index == 3 && frames.ahead == nil)
    #expect(frames.next()?.index == 4 && frames.ahead != nil)
  }
}

@Suite struct ErrandTests {
  @Test(arguments: [1, 2, 4]) func resultsComeInOrder(threads: Int) {
    var line = OrderedWorkQueue<Int>(threads: threads)
    var results: [Int] = []
    for number in 0..<200 {
      line.add { (0..<(number * 37 % 50) * 100).reduce(number) { $0 ^ $1 & 0 } }
      if line.count > threads, let result = line.next() { results.append(result) }
    }
    while let result = line.next() { results.append(result) }
    #expect(results == Array(0..<200))
    #expect(line.count == 0 && line.next() == nil)
  }

  @Test func workIsDoneOnceByWhoeverComesFirst() {
    let errand = WorkItem { 7 }
    #expect(!errand.isDone && errand.result == nil)
    #expect(errand.runIfUnclaimed())
    #expect(!errand.runIfUnclaimed())
    errand.wait()
    #expect(errand.isDone && errand.result == 7)
  }
}
