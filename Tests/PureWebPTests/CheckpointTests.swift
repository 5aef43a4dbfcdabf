import ConformanceSupport
import TestComparison
import Testing

@testable import PureWebP

/// Proves that a copy of a decoder is a checkpoint: both copies continue, and neither changes the other.
/// Expected values: decoding without a copy.
@Suite(.helpers(3)) struct CheckpointTests {
  /// Several threads, which divide the work even for images of a few hundred pixels.
  private static let shared = WebP.Threads(count: 4, batchPixels: 1 << 4)

  @Test(
    arguments: [
      "encoder-cwebp-q75.webp", "encoder-cwebp-partitions.webp", "alpha-palette-40-gradient.webp",
      "encoder-pillow-lossy-alpha.webp", "encoder-cwebp-lossless-z9-alpha.webp", "encoder-pillow-metadata.webp",
    ], [false, true])
  func stillImagesContinueFromEveryByte(name: String, isShared: Bool) throws {
    let bytes = Array(try Conformance.vector(name))
    let options = WebP.DecodeOptions(threads: isShared ? Self.shared : .one)
    let expected = try WebP.decode(bytes, options: options)
    var decoder = WebP.StreamingDecoder(options: options)
    for offset in bytes.indices {
      let checkpoint = decoder
      let (rows, image) = (decoder.finishedRows, decoder.image)
      var continued = decoder
      _ = try continued.append(bytes[offset...])
      try continued.finish()
      #expect(continued.isFinished, "\(name), from byte \(offset)")
      expectSame(continued.image, expected, "\(name), from byte \(offset)")
      #expect(decoder.finishedRows == rows, "\(name), at byte \(offset)")
      expectSame(decoder.image, image, "\(name), at byte \(offset)")
      _ = try decoder.append(CollectionOfOne(bytes[offset]))
      #expect(checkpoint.finishedRows == rows, "\(name), before byte \(offset)")
      expectSame(checkpoint.image, image, "\(name), before byte \(offset)")
    }
    try decoder.finish()
    #expect(decoder.isFinished)
    expectSame(decoder.image, expected)
  }

  /// The output side also has state: rows that wait for chroma, and the sums of the rescaler.
  @Test(arguments: ["options-lossy-97x61.webp", "encoder-cwebp-lossless-z6.webp"], [WebP.PixelFormat.yuv, .rgb])
  func scaledImagesContinueFromEveryByte(name: String, format: WebP.PixelFormat) throws {
    let bytes = Array(try Conformance.vector(name))
    let options = WebP.DecodeOptions(format: format, size: .exact(width: 41, height: 53))
    let expected = try WebP.decode(bytes, options: options)
    var decoder = WebP.StreamingDecoder(options: options)
    for offset in bytes.indices {
      var continued = decoder
      _ = try continued.append(bytes[offset...])
      try continued.finish()
      expectSame(continued.image, expected, "\(name), from byte \(offset)")
      _ = try decoder.append(CollectionOfOne(bytes[offset]))
    }
    expectSame(decoder.image, expected)
  }

  @Test(
    arguments: [
      "encoder-img2webp-animation.webp", "animation-corners-lossy-alpha.webp", "animation-corners-lossless.webp",
    ])
  func animationsContinueFromEveryByte(name: String) throws {
    let bytes = Array(try Conformance.vector(name))
    let expected = Array(try WebP.Animation(bytes))
    var animation = WebP.StreamingAnimation()
    var frames: [WebP.Animation.Frame] = []
    for offset in bytes.indices {
      _ = try animation.partialFrame()
      var continued = animation
      try continued.append(bytes[offset...])
      try continued.finish()
      var rest: [WebP.Animation.Frame] = []
      while let frame = try continued.nextFrame() { rest.append(frame) }
      expectSame(frames + rest, expected, "\(name), from byte \(offset)")
      try animation.append(CollectionOfOne(bytes[offset]))
      while let frame = try animation.nextFrame() { frames.append(frame) }
    }
    expectSame(frames, expected)
  }

  @Test(arguments: [false, true])
  func iteratorsContinueFromEveryFrame(isShared: Bool) throws {
    let options = WebP.DecodeOptions(threads: isShared ? Self.shared : .one)
    let bytes = try Conformance.vector("animation-disposed-again-and-again.webp")
    let expected = Array(try WebP.Animation(bytes, options: options))
    #expect(expected.count > 3)
    var iterator = try WebP.Animation(bytes, options: options).makeIterator()
    for index in expected.indices {
      let continued = IteratorSequence(iterator)
      expectSame(expected[..<index] + continued, expected[...])
      expectSame(iterator.next(), expected[index])
    }
  }

  @Test func rowsContinueFromEveryCall() throws {
    let bytes = Array(try Conformance.vector("options-lossless-97x61.webp"))
    let expected = try WebP.decode(bytes)
    func rest(_ decoder: WebP.RowDecoder) throws -> ContiguousArray<UInt8> {
      var decoder = decoder
      var pixels: ContiguousArray<UInt8> = []
      while let strip = try decoder.nextStrip() { pixels += strip.pixels }
      return pixels
    }
    var decoder = try WebP.RowDecoder(completeFile: bytes, options: WebP.DecodeOptions())
    var rows = 0
    while true {
      try expectSame(rest(decoder)[...], expected.pixels[(rows * expected.stride)...])
      guard let strip = try decoder.nextStrip() else { break }
      rows = strip.rows.upperBound
    }
    #expect(rows == expected.height)
  }

  /// An object that counts its copies.
  private final class Counter: CopiedOnWrite {
    let copies: Int
    init() { copies = 0 }
    init(copying other: Counter) { copies = other.copies + 1 }
  }

  @Test func onlySharedStateIsCopied() {
    var first: Counter? = Counter()
    #expect(first.unique()?.copies == 0 && first.unique()?.copies == 0)
    var second = first
    #expect(second.unique()?.copies == 1 && second.unique()?.copies == 1)
    #expect(first.unique()?.copies == 0)
    first = nil
    #expect(first.unique() == nil)
  }
}
