import ConformanceGenerator
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that frames of an incomplete file are available as soon as their bytes are, and that errors follow them.
/// Expected values: the frames of the complete file.
@Suite struct StreamingAnimationTests {
  private static func file(_ seed: UInt64, frames: Int) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    let frames = (0..<frames).map { index in
      let isFull = index % 3 == 0
      let picture = PixelGrid(width: isFull ? 18 : 11, height: isFull ? 40 : 35, using: &random)
      return PlainFrame(
        picture: picture, x: isFull ? 0 : 6, y: isFull ? 0 : 4, duration: 10 * index,
        isBlended: Bool.random(using: &random), isDisposed: Bool.random(using: &random))
    }
    return FileWriter.animation(width: 18, height: 40, loopCount: 2, frames)
  }

  /// Frames do not depend on how the bytes are divided, and are available with their last byte. One thread stores a few
  /// rows of a frame, several threads store all rows.
  @Test(arguments: [1, 100, 5000], [WebP.Threads.one, .atMost(4)])
  func framesAreAvailableWithTheirBytes(largest: Int, threads: WebP.Threads) throws {
    for asksForParts in [false, true] {
      try framesAreAvailableWithTheirBytes(largest: largest, threads: threads, asksForParts: asksForParts)
    }
  }

  private func framesAreAvailableWithTheirBytes(largest: Int, threads: WebP.Threads, asksForParts: Bool) throws {
    let options = WebP.DecodeOptions(threads: threads)
    var random = SplitMix64(seed: 15)
    for seed in 0..<3 as Range<UInt64> {
      let file = Self.file(seed, frames: 5)
      let animation = try WebP.Animation(file)
      let expected = Array(animation)
      var stream = WebP.StreamingAnimation(options: options)
      var found: [WebP.Animation.Frame] = []
      var offset = 0
      var rows = 0..<0
      while offset < file.count {
        let end = min(file.count, offset + Int.random(in: 1...largest, using: &random))
        try stream.append(file[offset..<end])
        offset = end
        while let frame = try stream.nextFrame() { found.append(frame) }
        #expect(found.count == animation.frames.prefix { $0.bytes.upperBound <= offset }.count)
        if asksForParts, let part = try stream.partialFrame() {
          #expect(part.rows != rows)
          #expect(try stream.partialFrame() == nil)
          rows = part.rows
          let frame = expected[found.count]
          #expect(part.rows.lowerBound == frame.info.rectangle.y)
          expectPart(part.image, part.rows, of: frame, after: found.last)
        }
      }
      try stream.finish()
      #expect(try stream.nextFrame() == nil && stream.isFinished)
      expectSame(found, expected)
      #expect(stream.info?.loopCount == 2 && stream.frames == animation.frames)
    }
  }

  /// The available rows equal the rows of the frame. Below them, the canvas shows the previous frame, whose rectangle
  /// is cleared if it was disposed.
  private func expectPart(
    _ image: WebP.Image, _ rows: Range<Int>, of frame: WebP.Animation.Frame, after previous: WebP.Animation.Frame?
  ) {
    func pixel(_ image: WebP.Image, _ x: Int, _ y: Int) -> ArraySlice<UInt8> {
      Array(image.pixels[(y * image.stride + 4 * x)..<(y * image.stride + 4 * x + 4)])[...]
    }
    var differences = 0
    for y in 0..<image.height {
      for x in 0..<image.width {
        let isNew = rows ~= y && frame.info.rectangle.x..<frame.info.rectangle.x + frame.info.rectangle.width ~= x
        var expected: ArraySlice<UInt8> = [0, 0, 0, 0]
        if isNew {
          expected = pixel(frame.image, x, y)
        } else if let previous {
          let (info, area) = (previous.info, previous.info.rectangle)
          let isWiped =
            info.isDisposed && area.x..<area.x + area.width ~= x && area.y..<area.y + area.height ~= y
          if !isWiped { expected = pixel(previous.image, x, y) }
        }
        if pixel(image, x, y) != expected { differences += 1 }
      }
    }
    #expect(differences == 0)
  }

  @Test func prematureEndIsReportedAfterTheCompleteFrames() throws {
    let file = Self.file(21, frames: 3)
    var stream = WebP.StreamingAnimation()
    try stream.append(file.dropLast(10))
    #expect(stream.frames.count == 2)
    try stream.finish()  // the error is deferred
    #expect(try stream.nextFrame() != nil)
    #expect(try stream.nextFrame() != nil)
    for _ in 0..<2 {
      let errors = [
        #expect(throws: WebP.DecodeError.self) { try stream.nextFrame() },
        #expect(throws: WebP.DecodeError.self) { try stream.append([0]) },
      ]
      #expect(errors.allSatisfy { $0?.kind == .truncated })
    }
    #expect(stream.info?.width == 18 && stream.info?.height == 40)
    #expect(!stream.isFinished)
  }

  @Test func errorReportsTheCorruptFrame() throws {
    var file = Self.file(22, frames: 3)
    let second = try WebP.Animation(file).frames[1].bytes
    file[second.lowerBound + 8 + 5] |= 7  // an invalid transform
    var stream = WebP.StreamingAnimation()
    try stream.append(file)
    #expect(stream.isFinished)
    #expect(try stream.nextFrame() != nil)
    for _ in 0..<2 {
      #expect {
        _ = try stream.nextFrame()
      } throws: {
        ($0 as? WebP.DecodeError)?.frame == 1
      }
    }
  }

  /// The decoder rejects another format immediately. It neither waits for more bytes nor stores them.
  @Test func otherFormatsAreReportedImmediately() throws {
    for beginning in ["\u{89}PNG\r\n\u{1A}\n", "RIFF....WAVE", "ALPH"] {
      var stream = WebP.StreamingAnimation()
      #expect(throws: WebP.DecodeError.self) {
        try stream.append(Array(beginning.utf8) + [UInt8](repeating: 0xFF, count: 30))
      }
    }
  }

  /// After the end of the animation or an error, bytes are counted, but not accessed or stored. After the end,
  /// exceeding the limit is not an error.
  @Test(arguments: ["end", "damage", "failure", "limit"]) func uselessBytesAreNotStored(what: String) throws {
    struct Bytes: Collection {
      let endIndex: Int
      var startIndex: Int { 0 }
      subscript(index: Int) -> UInt8 { preconditionFailure("byte \(index) was read") }
      func index(after index: Int) -> Int { index + 1 }
      var count: Int { endIndex }
    }
    var file = Self.file(23, frames: 3)
    let frames = try WebP.Animation(file).frames
    let options = WebP.DecodeOptions(limits: .init(maximumBytes: file.count + 200))
    var whole = 3
    var kind: WebP.ErrorKind?
    switch what {
    case "damage":
      file.replaceSubrange(frames[2].bytes.prefix(4), with: Array("VP8X".utf8))
      (whole, kind) = (2, .corrupt)
    case "failure":
      file[frames[1].bytes.lowerBound + 8 + 5] |= 7
      file.removeLast(10)
      (whole, kind) = (1, .corrupt)
    case "limit":
      file.removeLast(10)
      (whole, kind) = (2, .limitExceeded)
    default: break
    }
    var stream = WebP.StreamingAnimation(options: options)
    try stream.append(file)
    var returned = 0
    func take() throws { while try stream.nextFrame() != nil { returned += 1 } }
    do { try take() } catch { #expect((error as? WebP.DecodeError)?.kind == kind) }
    if what == "limit" { _ = try? stream.append(Bytes(endIndex: 5000)) }
    for _ in 0..<5 { _ = try? stream.append(Bytes(endIndex: 100)) }
    _ = try? stream.finish()
    #expect(returned == whole && stream.isFinished == (what == "end"))
    for _ in 0..<2 {
      do {
        try take()
        #expect(kind == nil)
      } catch {
        #expect((error as? WebP.DecodeError)?.kind == kind)
      }
    }
  }

  /// The bytes after the image of a simple file are ignored, but all bytes that the RIFF size includes must be present.
  @Test(arguments: [0, 1]) func simpleFileNeedsAllItsBytes(missing: Int) throws {
    var random = SplitMix64(seed: 24)
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(PixelGrid(width: 2, height: 2, using: &random)))
    let file = FileWriter.riff(picture, FileWriter.chunk("XMP ", [UInt8](repeating: 0, count: 50)))
    var stream = WebP.StreamingAnimation()
    for byte in file.dropLast(missing) { try stream.append(CollectionOfOne(byte)) }
    try stream.finish()
    #expect(try stream.nextFrame() != nil)
    if missing == 0 {
      #expect(try stream.nextFrame() == nil)
    } else {
      #expect(throws: WebP.DecodeError.self) { try stream.nextFrame() }
    }
  }
}
