import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP
import PureWebPCompact
import TestComparison
import Testing

/// Proves that decoding by rows, incrementally, and after seeking gives the same pixels, and that limits are enforced.
/// Expected values: the compact decoder's result in one call, and for limits, the result of `PureWebP`.
@Suite struct CompactDecoderTests {
  static let files = [
    "encoder-cwebp-q75.webp", "encoder-pillow-lossy-alpha.webp", "encoder-cwebp-lossless-z9-alpha.webp",
    "riff-everything.webp",
  ]

  @Test func rowsEqualTheImage() throws {
    for file in try Self.files.map(Conformance.vector) + Self.generatedFiles(300) {
      guard let image = try? WebPCompact.decode(file) else { continue }
      var rows: [Int] = []
      var pixels: ContiguousArray<UInt8> = []
      try WebPCompact.decodeRows(ContiguousArray(file).span) { row, bytes in
        rows.append(row)
        for index in bytes.indices { pixels.append(bytes[index]) }
      }
      #expect(rows == Array(0..<image.height))
      expectSame(pixels, image.pixels, width: image.width)
    }
  }

  /// A truncated file gives the same rows in one call and incrementally.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z9-alpha.webp"])
  func rowsPrecedeAnError(name: String) throws {
    let file = try Conformance.vector(name)
    let image = try WebPCompact.decode(file)
    // The sizes in the headers fit the remaining bytes, so that decoding begins.
    let bytes = ContiguousArray(Damage.withAdaptedSizes(Array(file.prefix(file.count * 3 / 4))))
    var decoder = WebPCompact.StreamingDecoder()
    try decoder.append(bytes.span)
    var pixels: ContiguousArray<UInt8> = []
    #expect(throws: WebPCompact.DecodeError.self) {
      try WebPCompact.decodeRows(bytes.span) { _, bytes in
        for index in bytes.indices { pixels.append(bytes[index]) }
      }
    }
    #expect(pixels.count == 4 * image.width * decoder.finishedRows)
    expectSame(Array(pixels), Array(image.pixels.prefix(pixels.count)), width: image.width)
  }

  @Test(arguments: [1, 7, 100, 5000]) func incrementalInputGivesTheSameImage(pieceSize: Int) throws {
    for file in try Self.files.map(Conformance.vector) + Self.generatedFiles(100) {
      guard let image = try? WebPCompact.decode(file), try !WebPCompact.info(file).isAnimated else { continue }
      var decoder = WebPCompact.StreamingDecoder()
      let bytes = ContiguousArray(file)
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        try decoder.append(bytes.span.extracting(start..<min(start + pieceSize, bytes.count)))
        let count = 4 * image.width * decoder.finishedRows
        expectSame(Array(decoder.pixels.prefix(count)), Array(image.pixels.prefix(count)), width: image.width)
      }
      try decoder.finish()
      #expect(decoder.finishedRows == image.height)
      expectSame(decoder.pixels, image.pixels, width: image.width)
    }
  }

  @Test func framesAfterSeekingEqualFramesInOrder() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Conformance.vectors.path).filter {
      $0.hasPrefix("animation-")
    }
    var soughtFrames = 0
    for name in names {
      let bytes = ContiguousArray(try Conformance.vector(name))
      guard var decoder = try? WebPCompact.AnimationDecoder(bytes.span) else { continue }
      var frames: [WebPCompact.AnimationDecoder.Frame] = []
      while let frame = try? decoder.nextFrame(from: bytes.span) { frames.append(frame) }
      for frame in frames.reversed() {
        try decoder.seek(to: frame.index)
        try expectSame(decoder.nextFrame(from: bytes.span), frame, "\(name), frame \(frame.index)")
        soughtFrames += 1
      }
    }
    #expect(soughtFrames > 100)
  }

  @Test func framesBeyondTheLastAreAnError() throws {
    let bytes = ContiguousArray(try Conformance.vector(Self.files[0]))
    var decoder = try WebPCompact.AnimationDecoder(bytes.span)
    let error = try #require(throws: WebPCompact.DecodeError.self) { try decoder.seek(to: 1) }
    #expect(error.kind == .invalidOptions)
  }

  /// Metadata are not decoded by the compact decoder.
  @Test func defaultLimitsEqualThoseOfPureWebP() {
    let (fast, compact) = (numbers(of: WebP.Limits()), numbers(of: WebPCompact.Limits()))
    #expect(compact.count >= 6)
    for (name, value) in compact { #expect(fast[name] == value, "\(name)") }
    let ofMetadata: Set = ["maximumMetadataBytes"]
    #expect(Set(fast.keys).subtracting(compact.keys) == ofMetadata, "the compact decoder does not have these limits")
  }

  /// Both decoders enforce the same limits and report the same causes.
  @Test func limitsEqualThoseOfPureWebP() throws {
    var refused = 0
    for (index, file) in try (Self.files.map(Conformance.vector) + Self.generatedFiles(300)).enumerated() {
      for (limit, name) in ["bytes", "pixels", "pixels per byte", "animation pixels"].enumerated() {
        var (fast, compact) = (WebP.DecodeOptions(), WebPCompact.Limits())
        let value = limit == 0 ? file.count - 1 : 100
        switch limit {
        case 0: (fast.limits.maximumBytes, compact.maximumBytes) = (value, value)
        case 1: (fast.limits.maximumPixels, compact.maximumPixels) = (value, value)
        case 2:
          (fast.limits.unrestrictedPixels, compact.unrestrictedPixels) = (value, value)
          (fast.limits.maximumPixelsPerByte, compact.maximumPixelsPerByte) = (1, 1)
        default: (fast.limits.maximumAnimationPixels, compact.maximumAnimationPixels) = (value, value)
        }
        let causes = (Self.cause(file, fast), Self.cause(file, compact))
        try #require(causes.0?.text == causes.1?.text, "file \(index), limit of \(name)")
        if causes.0?.isLimit == true { refused += 1 }
      }
    }
    #expect(refused > 300)
  }

  private static func cause(_ file: [UInt8], _ options: WebP.DecodeOptions) -> (text: String, isLimit: Bool)? {
    do throws(WebP.DecodeError) { _ = try WebP.decode(file, options: options) } catch {
      return (error.cause.description, error.kind == .limitExceeded)
    }
    return nil
  }

  private static func cause(_ file: [UInt8], _ limits: WebPCompact.Limits) -> (text: String, isLimit: Bool)? {
    do throws(WebPCompact.DecodeError) { _ = try WebPCompact.decode(file, limits: limits) } catch {
      return ("\(error.detail)", error.kind == .limitExceeded)
    }
    return nil
  }

  private static func generatedFiles(_ count: Int) -> [[UInt8]] {
    (0..<count).map { seed in
      var choices = Choices(seed: UInt64(seed))
      return choices.file()
    }
  }
}
