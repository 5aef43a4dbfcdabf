import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that the result does not depend on the number of threads, for every vector, corrupt ones included.
/// Expected values: the result of one thread.
@Suite(.helpers(4)) struct ThreadsTests {
  /// Two threads, which divide the work for images of any size.
  private static let two = WebP.Threads(count: 2, batchPixels: 1)

  private static let files = Conformance.files(in: "vectors.tsv", of: Reference.self)

  @Test(arguments: [1, 2, 3, 4, 64]) func largeImagesUseAsManyThreadsAsTheProcessorsPermit(processors: Int) {
    HelperPool.$current.withValue(HelperPool(maximum: processors - 1)) {
      let four = WebP.Threads(count: 4)
      #expect(four.share(width: 4000, height: 3000, rowsTogether: 16).threads.count == min(4, processors))
      #expect(four.share(width: 64, height: 64, rowsTogether: 16).threads.count == 1)
      #expect(Self.two.share(width: 64, height: 64, rowsTogether: 16).threads.count == min(2, processors))
    }
  }

  @Test func smallSharedImagesHaveAtLeastEightBatches() {
    HelperPool.$current.withValue(HelperPool(maximum: 1)) {
      let two = WebP.Threads(count: 2)
      let small = two.share(width: 480, height: 360, rowsTogether: 16, minimum: 2)
      #expect(small.threads.count == 2)
      #expect(small.rows == 32)  // 480 · 32 ≤ 480 · 360 / 8 < 480 · 48
      #expect(two.share(width: 480, height: 360, rowsTogether: 16).threads.count == 1)
      #expect(two.share(width: 360, height: 360, rowsTogether: 16, minimum: 2).threads.count == 1)
    }
  }

  private static func options(_ threads: WebP.Threads) -> WebP.DecodeOptions {
    WebP.DecodeOptions(threads: threads)
  }

  /// The pixels, or the error and the rows before it.
  private struct Outcome: Equatable {
    var image: WebP.Image?
    var rows: Int
    var error: String
  }

  private static func outcome(
    _ bytes: some Collection<UInt8>, _ threads: WebP.Threads, pieces: Int
  ) -> Outcome {
    var decoder = WebP.StreamingDecoder(options: options(threads))
    do throws(WebP.DecodeError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        _ = try decoder.append(rest.prefix(max(1, bytes.count / pieces)))
        rest = rest.dropFirst(max(1, bytes.count / pieces))
      }
      try decoder.finish()
      return Outcome(image: decoder.image, rows: decoder.finishedRows, error: "")
    } catch {
      return Outcome(
        image: decoder.image, rows: decoder.finishedRows, error: "\(error) \(error.status) \(error.finishedRows)")
    }
  }

  @Test(arguments: [1, 7]) func twoThreadsMatchOne(pieces: Int) {
    #expect(Self.files.count > 500)
    for (name, bytes) in Self.files {
      let one = Self.outcome(bytes, .one, pieces: pieces)
      let two = Self.outcome(bytes, Self.two, pieces: pieces)
      expectSame(one, two, "\(name)")
    }
  }

  /// The caller's thread decodes what helpers do not, whichever of them the system refuses to create. On four
  /// processors, up to three helpers take part.
  @Test(arguments: 0...4) func refusedHelpersDoNotChangeTheResult(startable: Int) {
    let many = WebP.Threads(count: 5, batchPixels: 1)
    for (name, bytes) in Self.files where bytes.count < 20_000 {
      let one = Self.outcome(bytes, .one, pieces: 3)
      let outcome = HelperPool.$current.withValue(HelperPool(maximum: 3, startable: startable)) {
        Self.outcome(bytes, many, pieces: 3)
      }
      #expect(one == outcome, "\(name)")
    }
  }

  @Test func twoThreadsMatchOneForCorruptFiles() {
    var random = SplitMix64(seed: 6)
    for (name, bytes) in Self.files where bytes.count < 10_000 {
      var damaged = bytes.prefix(Int.random(in: bytes.count / 2...bytes.count, using: &random))
      for _ in 0..<2 where damaged.count > 40 {
        damaged[Int.random(in: 30..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let one = Self.outcome(damaged, .one, pieces: 1)
      let two = Self.outcome(damaged, Self.two, pieces: 1)
      expectSame(one, two, "\(name)")
    }
  }

  /// The last of eight token partitions, which contains every eighth row of macroblocks, is truncated. A batch has four
  /// rows, so the crop may end within a batch whose later rows are incomplete.
  @Test(arguments: [70, 200, 330, 460]) func missingRowsBelowTheCropAreIgnored(height: Int) throws {
    let bytes = Array(try Conformance.vector("vp8-tall.webp"))
    let width = try WebP.info(bytes).width
    func outcome(_ bytes: [UInt8], _ threads: WebP.Threads) -> (pixels: ContiguousArray<UInt8>, error: String) {
      var options = Self.options(threads)
      options.crop = WebP.Rectangle(x: 0, y: 0, width: width, height: height)
      do throws(WebP.DecodeError) {
        return (try WebP.decode(bytes, options: options).pixels, "")
      } catch {
        return ([], "\(error) \(error.finishedRows)")
      }
    }
    let whole = outcome(bytes, .one)
    var decoded = 0
    for end in bytes.count - 100..<bytes.count {
      // The bitstream begins after the RIFF header and the chunk header.
      let cut = FileWriter.riff(FileWriter.chunk("VP8 ", Array(bytes[20..<end])))
      let one = outcome(cut, .one)
      let two = outcome(cut, WebP.Threads(count: 2, batchPixels: 4 * 16 * width))
      #expect(one.error == two.error, "\(end) bytes")
      expectSame(one.pixels, two.pixels, "\(end) bytes")
      if one.error.isEmpty { decoded += 1 }
      if !one.pixels.isEmpty { expectSame(one.pixels, whole.pixels, "\(end) bytes") }
    }
    #expect(decoded > 0)
  }

  @Test func smallImageUsesOneThread() {
    #expect(WebP.Threads.automatic.share(width: 64, height: 64, rowsTogether: 16).threads == .one)
    #expect(WebP.Threads.one.share(width: 16383, height: 16383, rowsTogether: 16).threads == .one)
  }
}
