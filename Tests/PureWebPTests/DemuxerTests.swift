import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that animations are parsed by the rules of libwebp's animation decoder.
/// Expected values: files that the tests write chunk by chunk, in one call and byte by byte.
@Suite struct DemuxerTests {
  private static let frame = PlainFrame(
    picture: PixelGrid(width: 2, height: 2, pixels: Array(repeating: SIMD4(1, 2, 3, 4), count: 4)))
  private static let image = FileWriter.chunk("VP8L", FileWriter.vp8L(frame.picture))
  private static let lossy = FileWriter.chunk("VP8 ", FileWriter.vp8Frame(width: 2, height: 2))
  private static let alpha = FileWriter.chunk("ALPH", [0, 1, 2, 3, 4])
  private static let unknown = FileWriter.chunk("abcd", [1, 2, 3])

  private static func extended(_ flags: UInt8 = 0x12) -> [UInt8] {
    FileWriter.vp8X(flags: flags, width: 4, height: 4)
  }

  private static func anmf(_ chunks: [UInt8]..., x: Int = 0, y: Int = 0) -> [UInt8] {
    var frame = frame
    (frame.x, frame.y) = (x, y)
    return FileWriter.anmf(frame, chunks: chunks.flatMap { $0 })
  }

  /// Reads a file in one call and byte by byte. Expects the same result, and no frame before its bytes have arrived.
  ///
  /// - Returns: the frames, or nil if the file is rejected.
  private func read(_ file: [UInt8], _ sourceLocation: SourceLocation) throws -> [DemuxedFrame]? {
    let bytes = ContiguousArray(file)
    func isGood(
      _ demuxer: inout Demuxer, _ frames: inout [DemuxedFrame], _ count: Int, isComplete: Bool
    ) -> Bool {
      defer { frames += demuxer.newFrames }
      return (try? demuxer.read(bytes.span.extracting(..<count), isComplete: isComplete)) != nil
    }
    var (frames, found): ([DemuxedFrame], [DemuxedFrame]) = ([], [])
    var whole = Demuxer(limits: WebP.Limits().plain)
    let verdict = isGood(&whole, &frames, bytes.count, isComplete: true)
    var pieces = Demuxer(limits: WebP.Limits().plain)
    var isStillGood = true
    for count in 0...bytes.count {
      isStillGood = isGood(&pieces, &found, count, isComplete: false)
      guard isStillGood else { break }
      let possible = frames.prefix { $0.bytes.upperBound <= count }
      try #require(possible.starts(with: found), "\(count) bytes", sourceLocation: sourceLocation)
      if let partial = pieces.partialFrame, found.count < frames.count {
        let range = frames[found.count].bytes
        let bytes = range.lowerBound..<min(range.upperBound, count)
        try #require(partial.bytes == bytes, sourceLocation: sourceLocation)
      }
    }
    isStillGood = isStillGood && isGood(&pieces, &found, bytes.count, isComplete: true)
    try #require(isStillGood == verdict && found == frames, sourceLocation: sourceLocation)
    return verdict ? frames : nil
  }

  /// - Parameters:
  ///   - count: the number of frames. Nil if the file is rejected.
  ///   - size: the number by which the size in the RIFF header is too large.
  private func expectFrames(
    _ count: Int?, _ chunks: [UInt8]..., size: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let body = chunks.flatMap { $0 }
    let file = FileWriter.riff(body, size: body.count + 4 + size)
    #expect(try read(file, sourceLocation)?.count == count, sourceLocation: sourceLocation)
  }

  @Test func chunksBetweenFramesAreSkipped() throws {
    let (head, anim, frame) = (Self.extended(), FileWriter.anim(), Self.anmf(Self.image))
    try expectFrames(1, head, anim, frame)
    try expectFrames(2, head, Self.unknown, anim, frame, Self.unknown, frame, FileWriter.chunk("EXIF", [1]))
    try expectFrames(1, head, anim, anim, frame)
    try expectFrames(2, head, anim, frame, Self.anmf(Self.image, Self.unknown), Self.unknown)
    try expectFrames(1, head, anim, Self.anmf(), frame)  // the first frame has no image
    try expectFrames(1, head, anim, Self.anmf(Self.alpha, Self.lossy))
  }

  @Test func misplacedChunksAreRejected() throws {
    let (head, anim, frame) = (Self.extended(), FileWriter.anim(), Self.anmf(Self.image))
    try expectFrames(nil, head, frame)  // no ANIM
    try expectFrames(nil, anim, frame)  // no VP8X
    try expectFrames(nil, head, anim)  // no frames
    try expectFrames(nil, head)
    try expectFrames(nil, head, anim, frame, head)
    try expectFrames(nil, head, anim, frame, Self.image)
    try expectFrames(nil, head, Self.image)
    try expectFrames(nil, head, anim, Self.anmf(Self.unknown, Self.image))
    try expectFrames(nil, head, anim, Self.anmf(Self.image, Self.image))
    try expectFrames(nil, head, anim, Self.anmf(Self.alpha, Self.image))  // VP8L contains its own alpha
    try expectFrames(nil, head, anim, Self.anmf(Self.alpha, Self.alpha, Self.lossy))
    try expectFrames(nil, head, anim, Self.anmf(Self.alpha))
    try expectFrames(nil, head, anim, Self.anmf(Self.lossy, Self.alpha))
    try expectFrames(nil, head, anim, Self.anmf())  // the last frame has no image, and no bytes follow it
    try expectFrames(nil, Self.unknown, Self.image)
  }

  /// The second frame is invalid, so the error reports the index 1.
  @Test func errorsReportTheFrameIndex() throws {
    let before = Self.extended() + FileWriter.anim() + Self.anmf(Self.image)
    var hugeFrame = Self.anmf(Self.image)
    hugeFrame.replaceSubrange(14..<20, with: repeatElement(255, count: 6))
    let frames = [
      FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 14)), hugeFrame,
      Self.anmf(Self.lossy, Self.alpha), Self.anmf(Self.alpha), Self.anmf(Self.alpha, Self.image),
      Self.anmf(FileWriter.chunk("VP8L", [0x2F, 0, 0, 0, 0xE0])), Self.anmf(Self.image, x: 4),
      Self.anmf(FileWriter.chunk("abcd", [], size: 100)),
    ]
    for frame in frames {
      let error = try #require(throws: WebP.DecodeError.self) {
        try WebP.Animation(FileWriter.riff(before, frame, Self.unknown))
      }
      let start = 12 + before.count  // after RIFF, its size and WEBP
      #expect(error.frame == 1 && start..<start + frame.count ~= (error.offset ?? 0), "\(error)")
    }
  }

  @Test func wrongSizesAreRejected() throws {
    let (head, anim, frame) = (Self.extended(), FileWriter.anim(), Self.anmf(Self.image))
    try expectFrames(1, head, anim, frame, Array("whatever".utf8), size: -8)
    try expectFrames(nil, head, anim, frame, size: 1)
    try expectFrames(nil, head, anim, frame, size: -1)
    try expectFrames(nil, head, anim, frame, [1, 2, 3])
    try expectFrames(nil, head, anim, frame, FileWriter.chunk("abcd", [1, 2], size: 3))
    try expectFrames(nil, head, FileWriter.chunk("ANIM", [1, 2, 3, 4]), frame)
    try expectFrames(1, head, FileWriter.chunk("ANIM", [1, 2, 3, 4, 5]), frame)
    try expectFrames(1, head, FileWriter.chunk("ANIM", [UInt8](repeating: 1, count: 9)), frame)
    try expectFrames(nil, head, anim, FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 14)), frame)
    try expectFrames(1, head, anim, FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 15)), frame)  // with padding
    // A complete image chunk that is too small for a header.
    try expectFrames(nil, head, anim, frame, Self.anmf(FileWriter.chunk("VP8 ", [0, 0, 0, 0])))
    // An image that extends beyond its ANMF chunk.
    var short = frame
    short[4] -= 2
    try expectFrames(nil, head, anim, short, frame)
    try expectFrames(nil, FileWriter.chunk("VP8X", [UInt8](repeating: 0, count: 12)), Self.image)
  }

  @Test func framesMustLieOnTheCanvas() throws {
    let (head, anim) = (Self.extended(), FileWriter.anim())
    try expectFrames(1, head, anim, Self.anmf(Self.image, x: 2, y: 2))
    try expectFrames(nil, head, anim, Self.anmf(Self.image, x: 4, y: 0))
    try expectFrames(nil, head, anim, Self.anmf(Self.image, x: 0, y: 4))
    // The image's own size counts, not the size in ANMF.
    var large = Self.frame
    large.picture.width = 300
    try expectFrames(1, head, anim, FileWriter.anmf(large, chunks: Self.image))
  }

  @Test func stillImagesHaveOneFrame() throws {
    let head = FileWriter.vp8X(flags: 0x10, width: 2, height: 2)
    let opaque = FileWriter.vp8X(flags: 0, width: 2, height: 2)
    try expectFrames(1, Self.image)
    try expectFrames(1, Self.lossy, Self.unknown)
    try expectFrames(nil, Self.lossy, [1, 2, 3])
    try expectFrames(1, head, Self.image)
    try expectFrames(1, head, Self.unknown, Self.alpha, Self.lossy, Self.unknown)
    try expectFrames(nil, head, Self.alpha, Self.unknown, Self.lossy)
    try expectFrames(nil, head, Self.alpha, Self.alpha, Self.lossy)
    try expectFrames(nil, head, Self.lossy, Self.alpha)
    try expectFrames(nil, head, Self.image, Self.image)
    try expectFrames(nil, head, Self.alpha)
    try expectFrames(nil, Self.extended(0x10), Self.image)  // the image is smaller than the canvas
    for reserved in [0x01, 0x40, 0x80] {
      try expectFrames(nil, FileWriter.vp8X(flags: UInt8(0x10 | reserved), width: 2, height: 2), Self.image)
    }
    try expectFrames(nil, head, FileWriter.anim(), Self.image)
    try expectFrames(1, head, Self.image, FileWriter.anim(), Self.anmf(Self.image))  // a frame that is ignored
    // Alpha that the VP8X header does not declare is ignored.
    let undeclared = try read(FileWriter.riff(opaque, Self.alpha, Self.lossy), #_sourceLocation)?.first
    let declared = try read(FileWriter.riff(head, Self.alpha, Self.lossy), #_sourceLocation)?.first
    #expect(undeclared?.hasAlpha == false && undeclared?.bytes.count == Self.lossy.count)
    #expect(declared?.hasAlpha == true && declared?.bytes.count == Self.alpha.count + Self.lossy.count)
    // If ALPH follows, libwebp treats a lossless image as opaque, even if the image itself has alpha.
    let beforeAlpha = try read(FileWriter.riff(opaque, Self.image, Self.alpha), #_sourceLocation)?.first
    let alone = try read(FileWriter.riff(opaque, Self.image), #_sourceLocation)?.first
    #expect(beforeAlpha?.hasAlpha == false && alone?.hasAlpha == true)
  }

  /// Without a RIFF header, the frame is available at the end of the input. The canvas size is available as soon as the
  /// image header has arrived.
  @Test func bareBitstreamsHaveOneFrame() throws {
    let lossless = FileWriter.vp8L(Self.frame.picture)
    let lossy = FileWriter.vp8Frame(width: 2, height: 2, tokens: 8)
    for file in [lossless, Self.image, lossy, Self.lossy, Self.alpha + Self.unknown + Self.lossy] {
      #expect(try read(file, #_sourceLocation)?.map(\.bytes) == [0..<file.count])
    }
    for file in [Array("this is not a picture".utf8), Self.unknown + Self.lossy, Self.extended() + Self.lossy] {
      #expect(try read(file, #_sourceLocation) == nil)
    }
    var demuxer = Demuxer(limits: WebP.Limits().plain)
    try demuxer.read(ContiguousArray(lossless.prefix(20)).span, isComplete: false)
    #expect(demuxer.width == 2 && demuxer.frameCount == 0)
  }

  @Test func incompleteFrameIsReported() throws {
    let file = ContiguousArray(
      FileWriter.riff(Self.extended(), FileWriter.anim(), Self.anmf(Self.image, x: 2), Self.anmf(Self.image, y: 2)))
    var demuxer = Demuxer(limits: WebP.Limits().plain)
    let (first, second) = (44, 44 + Self.anmf(Self.image).count)
    for count in 0...file.count {
      try demuxer.read(file.span.extracting(..<count), isComplete: false)
      // The frame is reported when the ANMF header (24 bytes), the chunk header (8) and the VP8L header (5) have
      // arrived. libwebp waits for four more bytes.
      let headers = 24 + 8 + 5
      let header: Int = [second, first].first { $0 + headers <= count } ?? .max
      let isPartial: Bool = header < Int.max && demuxer.frameCount == (header == first ? 0 : 1)
      try #require((demuxer.partialFrame != nil) == isPartial, "\(count) bytes")
      if let frame = demuxer.partialFrame {
        try #require(frame.x == (header == first ? 2 : 0) && frame.y == (header == first ? 0 : 2), "\(count) bytes")
        try #require(frame.width == 2 && frame.bytes == header + 24..<count, "\(count) bytes")
      }
    }
    #expect(demuxer.isFinished && demuxer.frameCount == 2 && demuxer.partialFrame == nil)
  }
}
