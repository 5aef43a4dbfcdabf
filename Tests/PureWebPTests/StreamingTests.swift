import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that incremental decoding gives the same image, rows and errors for any division of the input.
/// Expected values: decoding in one call.
@Suite struct StreamingTests {
  /// The still images among the vectors that decoding in one call accepts.
  private static let files: [(name: String, bytes: [UInt8], image: WebP.Image)] = {
    let references = (try? Conformance.table("vectors.tsv", of: Reference.self)) ?? []
    return references.compactMap { reference in
      guard let bytes = try? Conformance.vector(reference.file), let image = try? WebP.decode(bytes),
        (try? WebP.info(bytes))?.isAnimated == false
      else { return nil }
      return (reference.file, Array(bytes), image)
    }
  }()

  @Test func imageDoesNotDependOnTheDivisionOfBytes() throws {
    #expect(Self.files.count > 100)
    var random = SplitMix64(seed: 21)
    for (name, bytes, image) in Self.files {
      for largest in [1, 40, 1000] {
        var decoder = WebP.StreamingDecoder()
        var offset = 0
        var rows = 0
        while offset < bytes.count {
          let end = min(bytes.count, offset + Int.random(in: 1...largest, using: &random))
          let piece = bytes[offset..<end]
          // As a contiguous collection, as a span, and as a collection that is not contiguous.
          let progress =
            switch offset % 3 {
            case 0: try decoder.append(piece)
            case 1: try decoder.append(ContiguousArray(piece).span)
            default: try decoder.append(AnyCollection(piece))
            }
          if case .rows(let new) = progress {
            #expect(new.lowerBound == rows && !new.isEmpty)
            rows = new.upperBound
          }
          offset = end
        }
        // The last byte finishes the image. The end of a bare bitstream is not known before.
        #expect(decoder.isFinished || !WebP.isWebP(prefix: bytes), "\(name)")
        try decoder.finish()
        #expect(decoder.isFinished, "\(name)")
        expectSame(decoder.image, image, "\(name)")
      }
    }
  }

  /// Two bitmaps take turns, as in views. The one that is shown does not change.
  @Test(arguments: 0..<3) func decodingContinuesInOtherMemory(variant: Int) throws {
    var random = SplitMix64(seed: 23)
    for (name, bytes, full) in Self.files where full.height > 20 {
      var options = WebP.DecodeOptions(format: .bgraPremultiplied, flipsVertically: variant == 1)
      if variant == 2 { options.size = .fit(width: max(1, full.width * 3 / 5)) }
      let expected = try WebP.decode(bytes, options: options)
      var decoder = WebP.StreamingDecoder(options: options, rowAlignment: 32)
      var (free, shown): ((ContiguousArray<UInt8>, Int)?, (ContiguousArray<UInt8>, Int)?)
      var offset = 0
      while offset < bytes.count {
        let end = min(bytes.count, offset + Int.random(in: 1...max(1, bytes.count / 10), using: &random))
        _ = try decoder.append(bytes[offset..<end])
        offset = end
        guard let image = decoder.image, Bool.random(using: &random) else { continue }
        let count = decoder.finishedRows
        decoder.move(to: free?.0, finishedRows: free?.1 ?? 0)
        expectSame(decoder.image, image, "\(name)")
        (free, shown) = (shown, (image.pixels, count))
      }
      try decoder.finish()
      let image = try #require(decoder.image)
      #expect(image.stride % 32 == 0 && image.pixels.count == image.stride * image.height)
      func rows(_ pixels: ContiguousArray<UInt8>, _ rows: Range<Int>) -> [UInt8] {
        rows.flatMap { pixels[$0 * image.stride..<$0 * image.stride + 4 * image.width] }
      }
      #expect(rows(image.pixels, 0..<image.height) == Array(expected.pixels), "\(name)")
      if let (pixels, count) = shown {
        let finished = variant == 1 ? image.height - count..<image.height : 0..<count
        #expect(rows(pixels, finished) == rows(image.pixels, finished), "\(name)")
      }
    }
  }

  /// The last byte also finishes an image that follows large metadata. Until then, the decoder does not know where the
  /// image ends.
  @Test func lastByteFinishesTheImageAfterMetadata() throws {
    var random = SplitMix64(seed: 22)
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(PixelGrid(width: 2, height: 1, using: &random)))
    let before = FileWriter.riff(
      FileWriter.vp8X(flags: 0x30, width: 2, height: 1),
      FileWriter.chunk("ICCP", [UInt8](repeating: 1, count: 300_000)), size: 1 << 20)
    var decoder = WebP.StreamingDecoder()
    #expect(try decoder.append(before) == .needsMoreData)
    for byte in picture.dropLast() { #expect(try decoder.append(CollectionOfOne(byte)) != .finished) }
    #expect(try decoder.append(picture.suffix(1)) == .finished)
  }

  /// The size is available even while no pixels are decoded because the limits require more bytes.
  @Test func headersAreReportedImmediately() throws {
    let (_, bytes, image) = try #require(Self.files.first { $0.name == "encoder-cwebp-q75.webp" })
    var options = WebP.DecodeOptions()
    (options.limits.unrestrictedPixels, options.limits.maximumPixelsPerByte) = (0, 10)
    var decoder = WebP.StreamingDecoder(options: options)
    #expect(try decoder.append(bytes[..<100]) == .needsMoreData)
    #expect(decoder.image == nil)
    #expect(decoder.info?.width == image.width && decoder.info?.height == image.height)
  }

  /// Finished rows are correct, and do not change.
  @Test func finishedRowsOfTruncatedFilesMatchTheImage() throws {
    for (name, bytes, image) in Self.files where bytes.count < 3000 {
      for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 20)) {
        var decoder = WebP.StreamingDecoder()
        _ = try? decoder.append(bytes[..<cut])
        _ = try? decoder.finish()
        guard let part = decoder.image else { continue }
        let byteCount = decoder.finishedRows * part.stride
        expectSame(part.pixels[..<byteCount], image.pixels[..<byteCount], "\(name) cut at \(cut)")
      }
    }
  }

  /// The reported rows are rows of the image. If it is flipped, they start at the bottom.
  @Test func reportedRowsMatchTheImage() async throws {
    let (_, bytes, image) = try #require(Self.files.first { $0.name == "encoder-cwebp-q75.webp" })
    let options = WebP.DecodeOptions(flipsVertically: true)
    let flipped = try WebP.decode(bytes, options: options)
    #expect(flipped != image)
    var decoder = WebP.StreamingDecoder(options: options)
    var reported = Set<Int>()
    for offset in stride(from: 0, to: bytes.count, by: 100) {
      guard case .rows(let rows) = try decoder.append(bytes[offset..<min(bytes.count, offset + 100)]) else { continue }
      for row in rows { #expect(reported.insert(row).inserted) }
      let part = try #require(decoder.image)
      for row in reported {
        let range = row * image.stride..<(row + 1) * image.stride
        expectSame(part.pixels[range], flipped.pixels[range])
      }
    }
    #expect(reported.contains(image.height - 1) && !reported.isEmpty)
  }

  /// The decoder does not know the end of a bare bitstream, so it decodes rows without waiting for the end.
  @Test func rowsOfBareBitstreamsAreNotDelayed() throws {
    let (_, bytes, image) = try #require(Self.files.first { $0.name == "encoder-cwebp-q75.webp" })
    let stream = bytes[20...]
    var decoder = WebP.StreamingDecoder()
    var rows: [Int] = []
    for offset in stride(from: stream.startIndex, to: stream.endIndex, by: 100) {
      _ = try decoder.append(stream[offset..<min(stream.endIndex, offset + 100)])
      rows.append(decoder.finishedRows)
      let byteCount = decoder.finishedRows * image.stride
      if byteCount > 0 { expectSame(decoder.image?.pixels[..<byteCount], image.pixels[..<byteCount]) }
    }
    #expect(rows[rows.count / 2] > 0)
    try decoder.finish()
    expectSame(decoder.image, image)
  }

  /// In planar formats, two rows share a chroma row. A row is finished only when its chroma row is finished.
  @Test(arguments: ["options-lossy-97x61.webp", "options-lossless-97x61.webp"], [true, false])
  func finishedRowsIncludeTheirChroma(name: String, isScaled: Bool) throws {
    let (_, bytes, _) = try #require(Self.files.first { $0.name == name })
    var options = WebP.DecodeOptions(format: .yuv)
    if isScaled {
      options.size = .exact(width: 90, height: 50)
    } else {
      options.crop = .init(x: 0, y: 1, width: 97, height: 59)
    }
    let whole = try WebP.decode(bytes, options: options)
    var parts = 0
    for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
      var decoder = WebP.StreamingDecoder(options: options)
      _ = try decoder.append(bytes[..<cut])
      guard let part = decoder.image, decoder.finishedRows > 0 else { continue }
      parts += 1
      for (index, plane) in part.layout.planes.enumerated() {
        let rows = index == 0 ? decoder.finishedRows : (decoder.finishedRows + 1) / 2
        let range = plane.offset..<plane.offset + rows * plane.stride
        expectSame(part.pixels[range], whole.pixels[range], "\(name) cut at \(cut)")
      }
    }
    #expect(parts > 10)
  }

  @Test func errorsAreThrownRepeatedly() throws {
    var decoder = WebP.StreamingDecoder()
    #expect(throws: WebP.DecodeError.self) { try decoder.append(Array("this is not a picture".utf8)) }
    #expect(throws: WebP.DecodeError.self) { try decoder.append([1, 2, 3]) }
    #expect(throws: WebP.DecodeError.self) { try decoder.finish() }
  }

  /// After the image, bytes beyond the limit are ignored. Before the end of the image, they are a permanent error.
  @Test func bytesBeyondTheLimitAreRejectedBeforeTheEnd() throws {
    let (_, bytes, _) = try #require(Self.files.first { $0.name == "vp8l-size-3x3.webp" })
    let options = WebP.DecodeOptions(limits: .init(maximumBytes: bytes.count))
    var decoder = WebP.StreamingDecoder(options: options)
    #expect(try decoder.append(bytes) == .finished)
    #expect(try decoder.append([1, 2, 3]) == .finished)

    decoder = WebP.StreamingDecoder(options: options)
    for piece in [bytes + [1], bytes] {
      let error = try #require(throws: WebP.DecodeError.self) { try decoder.append(piece) }
      #expect(error.kind == .limitExceeded)
    }
  }

  /// If the size of a partition is known, its premature end is reported before `finish()`, because more bytes would not
  /// help.
  @Test func shortPartitionIsReportedImmediately() throws {
    var errors = 0
    for reference in try Conformance.table("vectors.tsv", of: Reference.self) where reference.file.hasPrefix("vp8-") {
      let bytes = try Conformance.vector(reference.file)
      var decoder = WebP.StreamingDecoder()
      do throws(WebP.DecodeError) {
        _ = try decoder.append(bytes)
      } catch {
        errors += error.cause == .init(.truncatedTokenPartition) ? 1 : 0
      }
    }
    #expect(errors > 0)
  }
}

/// Proves that updates contain all rows of the image once, and that errors follow them.
/// Expected values: the image decoded in one call.
@Suite struct ImageUpdatesTests {
  private static let file = try? Conformance.vector("encoder-cwebp-q75.webp")

  @Test func updatesCoverTheImage() async throws {
    let bytes = Array(try #require(Self.file))
    let whole = try WebP.decode(bytes)
    let source = AsyncStream<UInt8> { stream in
      for byte in bytes { stream.yield(byte) }
      stream.finish()
    }
    var rows = 0
    var last: WebP.Update?
    for try await update in WebP.updates(from: source) {
      #expect(update.rows.lowerBound == rows && !update.rows.isEmpty)
      rows = update.rows.upperBound
      let byteCount = rows * whole.stride
      expectSame(update.image.pixels[..<byteCount], whole.pixels[..<byteCount])
      last = update
    }
    #expect(last?.isComplete == true && last?.frame == nil)
    expectSame(last?.image, whole)
  }

  @Test func truncatedFileThrowsAfterItsRows() async throws {
    let bytes = Array(try #require(Self.file))
    let pieces = AsyncStream<ArraySlice<UInt8>> { stream in
      stream.yield(bytes[..<(bytes.count / 2)])
      stream.yield(bytes[(bytes.count / 2)..<(bytes.count - 30)])
      stream.finish()
    }
    var rows = 0
    await #expect(throws: WebP.DecodeError.self) {
      for try await update in WebP.updates(from: pieces) { rows = update.rows.upperBound }
    }
    #expect(rows > 0)
  }

  /// A source that ends because its task was canceled is not a truncated file.
  @Test func canceledTaskIsNotATruncatedFile() async throws {
    let bytes = Array(try #require(Self.file))
    let (pieces, more) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
    more.yield(bytes[..<(bytes.count / 2)])
    let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      for try await _ in WebP.updates(from: pieces) { continuation.yield() }
    }
    for await _ in updates { break }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test func rowsBeforeAnErrorAreReported() async throws {
    var bytes = Array(try Conformance.vector("encoder-cwebp-lossless-z6.webp"))
    var decoder = WebP.StreamingDecoder()
    // Searches for a corruption that is detected after some rows are finished.
    for offset in bytes.indices.reversed() where decoder.finishedRows == 0 {
      bytes[offset] ^= 0xFF
      decoder = WebP.StreamingDecoder()
      if (try? decoder.append(bytes)) != nil { decoder = WebP.StreamingDecoder() }
    }
    #expect(decoder.finishedRows > 0)
    let pieces = AsyncStream<[UInt8]> { stream in
      stream.yield(bytes)
      stream.finish()
    }
    var updates = WebP.updates(from: pieces).makeAsyncIterator()
    let update = try await updates.next()
    #expect(update?.rows == 0..<decoder.finishedRows && update?.isComplete == false)
    await #expect(throws: WebP.DecodeError.self) { try await updates.next() }
    #expect(try await updates.next() == nil)
  }
}
