import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that strips of rows are the rows of the image, for every vector and any division of the input.
/// Expected values: the pixels and errors of decoding in one call.
@Suite struct RowDecoderTests {
  private static let files = Conformance.files(in: "vectors.tsv", of: Reference.self)

  /// The pixels of all strips, and the error that follows them.
  private struct Outcome: Equatable {
    var pixels = ContiguousArray<UInt8>()
    var error = ""

    mutating func add(_ decoder: inout WebP.RowDecoder, rows: inout Int) throws(WebP.DecodeError) {
      while let strip = try decoder.nextStrip() {
        #expect(strip.rows.lowerBound == rows)
        rows = strip.rows.upperBound
        pixels += strip.pixels
        guard let width = decoder.size?.width else { continue }
        #expect(strip.pixels.count % (strip.rows.count * width) == 0)
      }
    }
  }

  /// - Parameter size: the number of bytes that are appended at a time. Nil if the file is complete at the beginning.
  private static func strips(_ bytes: [UInt8], _ options: WebP.DecodeOptions, size: Int? = nil) -> Outcome {
    var outcome = Outcome()
    var rows = 0
    do throws(WebP.DecodeError) {
      var decoder: WebP.RowDecoder
      if let size {
        decoder = WebP.RowDecoder(options: options)
        for start in stride(from: 0, to: bytes.count, by: size) {
          try decoder.append(bytes[start..<min(bytes.count, start + size)])
          try outcome.add(&decoder, rows: &rows)
        }
        decoder.finish()
      } else {
        decoder = try WebP.RowDecoder(completeFile: bytes, options: options)
      }
      try outcome.add(&decoder, rows: &rows)
      #expect(decoder.isFinished && rows == decoder.size?.height)
    } catch {
      outcome.error = "\(error) \(error.status) \(error.finishedRows)"
      #expect(error.finishedRows == rows)
    }
    return outcome
  }

  private static func whole(_ bytes: [UInt8], _ options: WebP.DecodeOptions) -> Outcome {
    do throws(WebP.DecodeError) {
      return Outcome(pixels: try WebP.decode(bytes, options: options).pixels)
    } catch {
      return Outcome(error: "\(error) \(error.status) \(error.finishedRows)")
    }
  }

  /// Includes corrupt files. Only their errors are compared; `bytesMayArriveIncrementally` compares the rows before an
  /// error.
  @Test(arguments: [WebP.PixelFormat.rgb, .rgba, .bgraPremultiplied]) func stripsAreRowsOfTheImage(
    format: WebP.PixelFormat
  ) throws {
    #expect(Self.files.count > 500)
    var compared = 0
    for (name, bytes) in Self.files where (try? WebP.info(bytes).isAnimated) != true {
      var options = WebP.DecodeOptions(format: format)
      for crop in [nil, WebP.Rectangle(x: 3, y: 5, width: 9, height: 70)] {
        for size in [nil, WebP.OutputSize.exact(width: 20, height: 11), .exact(width: 31, height: 120)] {
          options.crop = crop
          options.size = size
          options.upsampling = size == nil && compared % 2 == 0 ? .nearest : .fancy
          var expected = Self.whole(bytes, options)
          var strips = Self.strips(bytes, options)
          if !expected.error.isEmpty {
            expected.pixels = []
            strips.pixels = []
          }
          expectSame(strips, expected, "\(name)")
          compared += 1
        }
      }
    }
    #expect(compared > 2000)
  }

  /// The result equals the streaming decoder's, for any number of bytes at a time.
  @Test(arguments: [1, 97, 5000]) func bytesMayArriveIncrementally(size: Int) throws {
    for (name, bytes) in Self.files where (try? WebP.info(bytes).isAnimated) != true {
      if size == 1 && bytes.count > 20_000 { continue }
      var stream = WebP.StreamingDecoder()
      var expected = Outcome()
      do throws(WebP.DecodeError) {
        for start in stride(from: 0, to: bytes.count, by: size) {
          _ = try stream.append(bytes[start..<min(bytes.count, start + size)])
        }
        try stream.finish()
      } catch {
        expected.error = "\(error) \(error.status) \(error.finishedRows)"
      }
      if let image = stream.image { expected.pixels = .init(image.pixels.prefix(stream.finishedRows * image.stride)) }
      expectSame(Self.strips(bytes, .init(), size: size), expected, "\(name)")
    }
  }

  /// A random image. Its pixels are noise, so the file is large.
  private static func generated(isLossless: Bool, seed: UInt64) -> [UInt8] {
    var choices = Choices(seed: seed)
    let stream =
      isLossless ? choices.losslessStream(width: 1200, height: 1000) : choices.lossyStream(width: 1000, height: 1200)
    return FileWriter.riff(FileWriter.chunk(isLossless ? "VP8L" : "VP8 ", stream))
  }

  /// The decoder removes decoded bytes while others arrive. The offsets of errors still refer to the complete input.
  @Test(arguments: [false, true]) func consumedBytesAreReleased(isLossless: Bool) throws {
    var (count, released) = (0, 0)
    for seed in 0..<12 as Range<UInt64> {
      let file = Self.generated(isLossless: isLossless, seed: seed)
      guard file.count > 150_000, let expected = try? WebP.decode(file) else { continue }
      count += 1
      var decoder = WebP.RowDecoder()
      var (pixels, mostStored) = (ContiguousArray<UInt8>(), 0)
      for start in stride(from: 0, to: file.count, by: 4096) {
        try decoder.append(file[start..<min(file.count, start + 4096)])
        while let strip = try decoder.nextStrip() { pixels += strip.pixels }
        mostStored = max(mostStored, decoder.storedByteCount)
      }
      expectSame(pixels, expected.pixels)
      #expect(decoder.isFinished && decoder.storedByteCount == 0)
      if mostStored < file.count / 2 { released += 1 }

      // Truncated at a position before which many bytes have been released.
      let cut = Array(file.dropLast(file.count / 8))
      var (stream, rows) = (WebP.StreamingDecoder(), WebP.RowDecoder())
      let expectedError = decodeError {
        _ = try stream.append(cut)
        try stream.finish()
      }
      let error = decodeError {
        try rows.append(cut)
        rows.finish()
        while try rows.nextStrip() != nil {}
      }
      #expect(error?.description == expectedError?.description && error?.finishedRows == expectedError?.finishedRows)
      // The tokens of a random lossy image may end before its bytes do.
      if isLossless { #expect(error != nil) }
    }
    #expect(count > 2 && released > 0, "\(released) of \(count)")
  }

  @Test func stripsAreSmall() throws {
    let files = (0..<12 as Range<UInt64>).lazy.map { Self.generated(isLossless: false, seed: $0) }
    let file = try #require(files.first { (try? WebP.decode($0)) != nil })
    var decoder = try WebP.RowDecoder(completeFile: file, options: .init())
    var heights: [Int] = []
    while let strip = try decoder.nextStrip() { heights.append(strip.rows.count) }
    #expect(heights.allSatisfy { $0 <= 40 } && heights.dropLast().allSatisfy { $0 >= 15 }, "\(heights)")
  }

  @Test func unsupportedOptionsAreRejected() throws {
    func kind(_ vector: String, _ options: WebP.DecodeOptions = .init()) throws -> WebP.ErrorKind? {
      let file = try Conformance.vector(vector)
      var decoder = WebP.RowDecoder(options: options)
      return decodeError {
        try decoder.append(file)
        while try decoder.nextStrip() != nil {}
      }?.kind
    }
    let still = "encoder-cwebp-q75.webp"
    #expect(try kind(still) == nil)
    #expect(try kind(still, .init(flipsVertically: true)) == .invalidOptions)
    #expect(try kind(still, .init(format: .yuv)) == .invalidOptions)
    #expect(try kind("animation-random-7.webp") == .unsupported)
  }

  /// Metadata after the image is collected, even from bytes that are appended after the last row was decoded.
  @Test(arguments: [1, 10, 100_000]) func metadataIsCollected(size: Int) throws {
    let picture = Array(try Conformance.vector("encoder-cwebp-q75.webp").dropFirst(12))
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x2C, width: 67, height: 45), FileWriter.chunk("ICCP", [1, 2, 3]), picture,
      FileWriter.chunk("EXIF", Exif.turnedRight), FileWriter.chunk("none", []), FileWriter.chunk("XMP ", [4]))
    let expected = WebP.metadata(file)
    #expect(expected.icc == [1, 2, 3] && expected.exif == Exif.turnedRight && expected.xmp == [4])
    var (rows, stream) = (WebP.RowDecoder(), WebP.StreamingDecoder())
    for start in stride(from: 0, to: file.count, by: size) {
      let bytes = file[start..<min(file.count, start + size)]
      try rows.append(bytes)
      while try rows.nextStrip() != nil {}
      _ = try stream.append(bytes)
    }
    #expect(rows.metadata == expected && stream.metadata == expected)
    #expect(rows.info?.hasICC == true && rows.isFinished && stream.isFinished)
    // Bytes beyond the limits are ignored after the last row.
    try rows.append(repeatElement(0, count: .max))
    #expect(try stream.append(repeatElement(0, count: .max)) == .finished)
  }

  /// Collects the metadata of every vector, with any number of bytes at a time.
  @Test(arguments: [1, 7, 1000]) func collectedMetadataMatchesTheFile(size: Int) {
    for (name, bytes) in Self.files {
      var collector = MetadataCollector(limits: .init(), byteCount: bytes.count)
      for start in stride(from: 0, to: bytes.count, by: size) {
        collector.append(bytes.span.extracting(start..<min(bytes.count, start + size)))
      }
      #expect(collector.metadata == WebP.metadata(bytes), "\(name)")
    }
  }

  // MARK: In the background

  @Test func backgroundDecodingGivesTheSameResult() async throws {
    for (name, bytes) in Self.files {
      let expected = Self.whole(bytes, .init())
      var outcome = Outcome()
      do {
        outcome.pixels = try await WebP.decodeInBackground(bytes).pixels
      } catch let error as WebP.DecodeError {
        outcome.error = "\(error) \(error.status) \(error.finishedRows)"
      }
      expectSame(outcome, expected, "\(name)")
    }
  }

  /// The images are large enough for several steps, each with several threads.
  @Test(arguments: [false, true]) func backgroundDecodingInStepsGivesTheSameResult(isLossless: Bool) async throws {
    for seed in 0..<6 as Range<UInt64> {
      let file = Self.generated(isLossless: isLossless, seed: seed)
      guard let expected = try? WebP.decode(file) else { continue }
      try await expectSame(WebP.decodeInBackground(file), expected)
    }
  }

  @Test func backgroundDecodingCanBeCanceled() async throws {
    let file = Self.generated(isLossless: false, seed: 1)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await WebP.decodeInBackground(file)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
