import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that a file is rejected if it exceeds a limit, and accepted if it is just within the limit.
/// Expected values: sizes on both sides of each limit, computed by hand.
@Suite struct LimitsTests {
  /// A VP8L chunk of one color, followed by zeros.
  private static func flat(width: Int, height: Int, bytes count: Int = 0) -> [UInt8] {
    // No transform, no color cache and no entropy image. Then five prefix codes of one symbol, each 1 0 0 0 from the
    // lowest bit.
    let codes: [UInt8] = [0b1000_1000, 0b1000_1000, 0b0000_1000]
    let stream = FileWriter.vp8LHeader(width: width, height: height) + codes
    return FileWriter.chunk("VP8L", stream + [UInt8](repeating: 0, count: max(0, count - stream.count)))
  }

  /// Allows a thousand pixels, and ten more for each byte.
  private static let options = WebP.DecodeOptions(limits: .init(unrestrictedPixels: 1000, maximumPixelsPerByte: 10))

  @Test func defaultsMatchTheDocumentation() {
    let limits = WebP.Limits()
    #expect(limits.maximumPixels == 134_217_728 && limits.maximumPixelsPerByte == 256)
    #expect(limits.unrestrictedPixels == (Int.bitWidth == 32 ? 16_777_216 : 67_108_864))
    #expect(limits.maximumBytes == 1_073_741_824 && limits.maximumFrames == 262_144)
    #expect(limits.maximumAnimationPixels == 68_719_476_736 && limits.maximumMetadataBytes == 67_108_864)
    #expect(limits.pixels(ofBytes: 1) == limits.unrestrictedPixels + 256)
    #expect(limits.plain.animationPixels(ofBytes: 1) == 2 * limits.unrestrictedPixels + 2048)
    #expect(limits.plain.convertedPixels(ofBytes: 1) == 2 * limits.unrestrictedPixels + 32_768)
  }

  /// A property that is added later is included.
  @Test func noneSetsEveryLimit() {
    let limits = numbers(of: WebP.Limits.unlimited)
    #expect(limits.count >= 7)
    for (name, value) in limits { #expect(value == .max, "\(name)") }
  }

  /// Each property has its own value, so that two that are exchanged are found.
  @Test func everyLimitReachesTheParser() {
    let limits = WebP.Limits(
      maximumPixels: 1, unrestrictedPixels: 2, maximumPixelsPerByte: 3, maximumBytes: 4, maximumFrames: 5,
      maximumAnimationPixels: 6, maximumMetadataBytes: 7)
    let (own, parser) = (numbers(of: limits), numbers(of: limits.plain))
    #expect(Set(own.values).count == own.count, "pass a value of its own for each limit: \(own)")
    for (name, value) in parser { #expect(own[name] == value, "\(name)") }
    #expect(Set(own.keys).subtracting(parser.keys) == WebP.Limits.ofMetadata, "the parser does not have these limits")
  }

  @Test func pixelsAreLimitedByTheNumberOfBytes() throws {
    // The image has 5000 pixels. A thousand are unrestricted, and the others need 400 bytes.
    for count in [0, 300, 378, 380, 382, 400, 5000] {
      let file = FileWriter.riff(Self.flat(width: 100, height: 50, bytes: count))
      let expected: WebP.ErrorKind? = file.count < 400 ? .limitExceeded : nil
      #expect(decodeError { try WebP.decode(file, options: Self.options) }?.kind == expected, "\(file.count) bytes")
      #expect(decodeError { try WebP.Animation(file, options: Self.options) }?.kind == expected, "\(file.count) bytes")
      var decoder = WebP.StreamingDecoder(options: Self.options)
      #expect(
        decodeError {
          _ = try decoder.append(file)
          try decoder.finish()
        }?.kind == expected)
    }
    let small = FileWriter.riff(Self.flat(width: 50, height: 20))
    #expect(try WebP.decode(small, options: Self.options).pixels.count == 4000)
    let large = FileWriter.riff(Self.flat(width: 16384, height: 4097))
    #expect(decodeError { try WebP.decode(large) }?.kind == .limitExceeded)
    #expect(try WebP.decode(FileWriter.riff(Self.flat(width: 1024, height: 1024))).width == 1024)
  }

  @Test func streamsWaitForTheRequiredBytes() throws {
    let file = FileWriter.riff(Self.flat(width: 100, height: 50, bytes: 500))
    var decoder = WebP.StreamingDecoder(options: Self.options)
    for count in 1...file.count {
      let progress = try decoder.append(file[count - 1..<count])
      #expect(progress == (count < 400 ? .needsMoreData : .finished), "\(count) bytes")
      #expect((decoder.image == nil) == (count < 400))
    }
    // A violation that more bytes cannot fix is reported immediately.
    var options = Self.options
    options.limits.maximumPixels = 4999
    var refusing = WebP.StreamingDecoder(options: options)
    #expect(decodeError { try refusing.append(file[..<40]) }?.kind == .limitExceeded)
  }

  @Test func allFramesTogetherAreLimitedByTheNumberOfBytes() throws {
    let frame = [UInt8](repeating: 0, count: 15) + [2]
    var header = frame
    header.replaceSubrange(6..<12, with: [24, 0, 0, 19, 0, 0])
    let frames = (0..<20).map { _ in FileWriter.chunk("ANMF", header + Self.flat(width: 25, height: 20)) }
    let start = FileWriter.vp8X(flags: 0x12, width: 25, height: 20) + FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    let file = FileWriter.riff(start, frames.flatMap { $0 })
    // Each frame has 500 pixels. An animation may have twice the unrestricted pixels. In addition, it may have eight
    // times `maximumPixelsPerByte` pixels for each byte.
    func allowed(_ count: Int) -> Int { (2 * 1000 + 8 * count) / 500 }
    var options = Self.options
    options.limits.maximumPixelsPerByte = 1
    #expect(allowed(file.count) < 20)
    #expect(decodeError { try WebP.Animation(file, options: options) }?.kind == .limitExceeded)
    let part = try WebP.Animation(recovering: file, options: options)
    #expect(part.frameCount == allowed(file.count) && part.recoveryError?.kind == .limitExceeded)
    var streaming = WebP.StreamingAnimation(options: options)
    for (count, byte) in zip(1..., file) {
      try streaming.append([byte])
      #expect(streaming.frames.count <= allowed(count))
    }
    #expect(streaming.frames.count == allowed(file.count))
    try streaming.finish()
    var shown = 0
    let error = decodeError { while try streaming.nextFrame() != nil { shown += 1 } }
    #expect(shown == part.frameCount && error?.kind == .limitExceeded)
    #expect(try WebP.Animation(file).frameCount == 20)
  }

  /// If the caller gives only one side of the output, the other side depends on the file. The output is then limited.
  @Test(arguments: [
    (WebP.OutputSize.fill(width: 20, height: 20, enlarges: true), true), (.exact(width: 20), true),
    (.fit(width: 20, enlarges: true), true), (.exact(width: 20, height: 200), false),
    (.fit(width: 20, height: 200, enlarges: true), false), (.fill(width: 20, height: 20), false),
  ])
  func derivedSizesAreLimitedByTheNumberOfBytes(size: WebP.OutputSize, isRefused: Bool) throws {
    var options = Self.options
    options.size = size
    let file = FileWriter.riff(Self.flat(width: 1, height: 500))
    let expected: WebP.ErrorKind? = isRefused ? .limitExceeded : nil
    #expect(decodeError { try WebP.decode(file, options: options) }?.kind == expected)
    #expect(decodeError { try WebP.Animation(file, options: options).frame(at: 0) }?.kind == expected)
    var streaming = WebP.StreamingAnimation(options: options)
    try streaming.append(file)
    try streaming.finish()
    #expect(decodeError { try streaming.nextFrame() }?.kind == expected)
    options.limits.maximumPixelsPerByte = 10_000
    #expect(decodeError { try WebP.decode(file, options: options) }?.kind == nil)
    #expect(decodeError { try WebP.Animation(file, options: options).frame(at: 0) }?.kind == nil)
  }

  /// Bytes after the frames raise the pixel limits, whether they arrive incrementally or in one call.
  ///
  /// - Parameters:
  ///   - isScaled: whether the limit of the output size is tested, or the limit of the frame size.
  ///   - isDamaged: whether a corrupt chunk precedes the bytes.
  @Test(arguments: [(true, false), (true, true), (false, false)])
  func bytesAfterTheFramesRaiseTheLimits(isScaled: Bool, isDamaged: Bool) throws {
    let height = isScaled ? 500 : 10_000
    var frameHeader = [UInt8](repeating: 0, count: 16)
    frameHeader.replaceSubrange(9..<11, with: FileWriter.littleEndian(height - 1, bytes: 2))
    let start = FileWriter.vp8X(flags: 0x12, width: 1, height: height) + FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    var frames = FileWriter.chunk("ANMF", frameHeader + Self.flat(width: 1, height: height))
    if isDamaged { frames += FileWriter.chunk("ANMF", [0, 0, 0]) }
    let file = FileWriter.riff(start, frames) + [UInt8](repeating: 0, count: 20_000)
    var options = Self.options
    // 1 × 500 pixels become 20 × 10,000. A thousand are unrestricted, and the others need 19,900 bytes.
    if isScaled { options.size = .fill(width: 20, height: 20, enlarges: true) }
    let needed = isScaled ? 19_900 : 900
    let animation = try WebP.Animation(recovering: file, options: options)
    let expected = try animation.frame(at: 0).image
    #expect(expected.height == 10_000 && (animation.recoveryError != nil) == isDamaged)
    var streaming = WebP.StreamingAnimation(options: options)
    var shown: [WebP.Image] = []
    for offset in stride(from: 0, to: file.count, by: 100) {
      let end = min(offset + 100, file.count)
      _ = try? streaming.append(file[offset..<end])
      if shown.isEmpty, let frame = try streaming.nextFrame() { shown.append(frame.image) }
      #expect(shown.isEmpty == (end < needed), "\(end) bytes")
    }
    _ = try? streaming.finish()
    #expect(shown == [expected])
    #expect((decodeError { try streaming.nextFrame() }?.kind != nil) == isDamaged)
  }

  /// The bytes are not accessed at all.
  @Test func bytesBeyondTheLimitAreNotCopied() {
    struct Bytes: Collection {
      var endIndex = 1 << 31 + 1
      var startIndex: Int { 0 }
      subscript(index: Int) -> UInt8 { preconditionFailure("byte \(index) was read") }
      func index(after index: Int) -> Int { index + 1 }
      var count: Int { endIndex }
    }
    var pixels: [UInt8] = []
    #expect(decodeError { try WebP.decode(Bytes()) }?.kind == .limitExceeded)
    #expect(decodeError { try WebP.decode(Bytes(), into: &pixels) }?.kind == .limitExceeded)
    #expect(decodeError { try WebP.Animation(Bytes()) }?.kind == .limitExceeded)
    #expect(WebP.metadata(Bytes()) == WebP.Metadata())
    for count in [1 << 31, .max] {  // With the previous byte, the second count exceeds Int.max.
      var decoder = WebP.StreamingDecoder()
      var animation = WebP.StreamingAnimation()
      #expect(decodeError { try decoder.append([0x52]) }?.kind == nil)
      #expect(decodeError { try animation.append([0x52]) }?.kind == nil)
      #expect(decodeError { try decoder.append(Bytes(endIndex: count)) }?.kind == .limitExceeded)
      #expect(decodeError { try animation.append(Bytes(endIndex: count)) }?.kind == .limitExceeded)
      #expect(decodeError { try animation.nextFrame() }?.kind == .limitExceeded)
    }
  }

  @Test func threadCountsAreClamped() {
    #expect(WebP.Threads.atMost(.max).count == 64 && WebP.Threads.atMost(3).count == 3)
    #expect(WebP.Threads.atMost(.min) == .one)
  }

  @Test func bytesAreLimited() throws {
    var options = WebP.DecodeOptions(limits: .init(maximumBytes: 1000))
    // A chunk of 512 MiB precedes the image.
    let start = FileWriter.riff(FileWriter.vp8X(flags: 0, width: 9, height: 9), size: 1 << 30)
    let file = start + Array("ICCP".utf8) + FileWriter.littleEndian(1 << 29, bytes: 4)
    var decoder = WebP.StreamingDecoder(options: options)
    var animation = WebP.StreamingAnimation(options: options)
    #expect(try decoder.append(file) == .needsMoreData)
    try animation.append(file)
    #expect(animation.frames.isEmpty && !animation.isFinished)
    var count = file.count
    var kind: WebP.ErrorKind?
    while kind == nil, count < 10_000 {
      kind = decodeError { try decoder.append([UInt8](repeating: 0, count: 100)) }?.kind
      #expect(decodeError { try animation.append([UInt8](repeating: 0, count: 100)) }?.kind == kind)
      count += 100
    }
    #expect(kind == .limitExceeded && 1000..<1200 ~= count)
    #expect(decodeError { try animation.nextFrame() }?.kind == .limitExceeded)

    let whole = FileWriter.riff(Self.flat(width: 4, height: 4, bytes: 1000))
    #expect(decodeError { try WebP.decode(whole, options: options) }?.kind == .limitExceeded)
    #expect(decodeError { try WebP.Animation(whole, options: options) }?.kind == .limitExceeded)
    var pixels = [UInt8](repeating: 0, count: 64)
    #expect(decodeError { try WebP.decode(whole, into: &pixels, options: options) }?.kind == .limitExceeded)

    options.limits.maximumBytes = whole.count
    #expect(try WebP.decode(whole, options: options).width == 4)
    options.limits.maximumBytes -= 1
    #expect(decodeError { try WebP.decode(whole, options: options) }?.kind == .limitExceeded)
  }
}

extension WebP.Limits {
  /// The limits of `MetadataCollector`, which `FormatLimits` does not have.
  fileprivate static let ofMetadata: Set = ["maximumMetadataBytes"]
}

/// Proves that decoding ends when its task is canceled.
/// Expected values: `CancellationError`, although the sources never end.
@Suite struct CancellationTests {
  /// A source of an almost endless first chunk. It never waits, and it ignores cancellation.
  private struct Endless: AsyncSequence, AsyncIteratorProtocol {
    var start: [UInt8]? =
      FileWriter.riff(FileWriter.vp8X(flags: 0, width: 9, height: 9), size: 1 << 30) + Array("ICCP".utf8)
      + FileWriter.littleEndian(1 << 30 - 100, bytes: 4)

    func makeAsyncIterator() -> Endless { self }

    mutating func next() async throws -> [UInt8]? {
      defer { start = nil }
      return start ?? [0]
    }
  }

  @Test func updatesEndWithTheirTask() async throws {
    let task = Task {
      for try await _ in WebP.updates(from: Endless()) {}
    }
    try await Task.sleep(nanoseconds: 1_000_000)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// An image that arrives in one element is not decoded to its end after cancellation.
  @Test func updatesEndWithinAnElement() async throws {
    struct OnePiece: AsyncSequence, AsyncIteratorProtocol {
      let bytes: [UInt8]
      func makeAsyncIterator() -> OnePiece { self }
      func next() async throws -> [UInt8]? {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return bytes
      }
    }
    let file = try Array(Conformance.vector("encoder-cwebp-q75.webp"))
    let task = Task {
      for try await _ in WebP.updates(from: OnePiece(bytes: file)) { Issue.record("an update after cancellation") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
