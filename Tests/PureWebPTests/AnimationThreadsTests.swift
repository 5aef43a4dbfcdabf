import ConformanceGenerator
import ConformanceSupport
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
      var frames = try WebP.Animation(partial: bytes, options: options).makeIterator()
      while let frame = try frames.nextFrame() { outcome.frames.append(frame) }
    } catch {
      outcome.error = "\(error) \(error.status) \(error.rowsFinished)"
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

  @Test func framesAheadStayWithinTheLimit() throws {
    let bytes = try Array(Conformance.vector("animation-random-7.webp"))
    var options = Self.options(threads: 5)
    let expected = Array(try WebP.Animation(bytes, options: options))
    options.limits.maximumPixels = expected[0].image.width * expected[0].image.height
    #expect(Array(try WebP.Animation(bytes, options: options)) == expected)
  }
}

@Suite struct ErrandTests {
  @Test(arguments: [1, 2, 4]) func resultsComeInOrder(threads: Int) {
    var line = ErrandLine<Int>(threads: threads)
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
    let errand = Errand { 7 }
    #expect(!errand.isDone && errand.result == nil)
    #expect(errand.doUnlessBegun())
    #expect(!errand.doUnlessBegun())
    errand.wait()
    #expect(errand.isDone && errand.result == 7)
  }
}
