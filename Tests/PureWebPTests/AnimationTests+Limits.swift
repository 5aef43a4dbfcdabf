// Animations that are corrupt, or that exceed the limits.

import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

extension AnimationTests {
  @Test func errorReportsTheCorruptFrameAndEarlierFramesRemain() throws {
    var random = SplitMix64(seed: 10)
    let picture = PixelGrid(width: 4, height: 4, using: &random)
    let good = PlainFrame(picture: picture, isBlended: false)
    var broken = FileWriter.vp8L(picture)
    broken.removeLast(20)
    let chunks =
      FileWriter.anmf(good) + FileWriter.anmf(good, chunks: FileWriter.chunk("VP8L", broken))
      + FileWriter.anmf(good)
    let file = FileWriter.riff(FileWriter.vp8X(flags: 0x12, width: 4, height: 4), FileWriter.anim(), chunks)
    let animation = try WebP.Animation(file)
    #expect(animation.frameCount == 3)
    var frames = animation.makeIterator()
    try expectSame(frames.nextFrame()?.image.pixels, picture.bytes)
    for _ in 0..<2 {
      #expect {
        _ = try frames.nextFrame()
      } throws: { error in
        guard let error = error as? WebP.DecodeError, let offset = error.offset else { return false }
        return error.frame == 1 && animation.frames[1].bytes.contains(offset - 1)
      }
    }
    #expect(Array(animation).count == 1)
    // A key frame does not depend on the corrupt frame.
    try expectSame(animation.frame(at: 2).image.pixels, picture.bytes)
    #expect {
      _ = try animation.image(ofFrame: 1)
    } throws: {
      ($0 as? WebP.DecodeError)?.frame == 1
    }
  }

  /// The trailing bytes look like chunks.
  @Test func trailingBytesAreIgnored() throws {
    var random = SplitMix64(seed: 15)
    let frames = (0..<2).map { _ in PlainFrame(picture: PixelGrid(width: 5, height: 4, using: &random)) }
    let file = FileWriter.animation(width: 10, height: 6, frames)
    let picture = try WebP.decode(file)
    try expectSame(picture, WebP.Animation(file).frame(at: 0).image)
    let noise = [UInt8](repeating: 0xFF, count: 30)
    for more in [[1], noise, FileWriter.chunk("VP8 ", []), FileWriter.chunk("EXIF", [1])] {
      try expectSame(WebP.decode(file + more), picture)
      #expect(try WebP.Animation(file + more).frameCount == 2)
    }
  }

  /// If the options are invalid and the frame is corrupt, the error reports the options.
  @Test func corruptFirstFrameHasNoRows() throws {
    var bytes = [UInt8](try Conformance.vector("encoder-pillow-animation.webp"))
    bytes.replaceSubrange(800..<900, with: repeatElement(0xFF, count: 100))
    var frames = try WebP.Animation(bytes).makeIterator()
    let error = #expect(throws: WebP.DecodeError.self) { try frames.nextFrame() }
    #expect(error?.finishedRows == 0)

    var pixels = [UInt8](repeating: 7, count: 1 << 20)
    let untouched = pixels
    let same = #expect(throws: WebP.DecodeError.self) { try WebP.decode(bytes, into: &pixels) }
    #expect(same?.kind == error?.kind && same?.finishedRows == 0)
    expectSame(pixels, untouched)

    let options = WebP.DecodeOptions(crop: WebP.Rectangle(x: 1 << 20, y: 0, width: 1, height: 1))
    for size in [0, 1 << 20] {
      var memory = [UInt8](repeating: 7, count: size)
      let options = size == 0 ? WebP.DecodeOptions() : options
      let wrong = #expect(throws: WebP.DecodeError.self) { try WebP.decode(bytes, into: &memory, options: options) }
      #expect(wrong?.kind == .invalidOptions)
    }
  }

  @Test func truncatedFileHasItsCompleteFrames() throws {
    var random = SplitMix64(seed: 11)
    let frames = Self.randomFrames(width: 8, height: 8, count: 4, using: &random)
    let file = FileWriter.animation(width: 8, height: 8, frames)
    let whole = try WebP.Animation(file)
    for cut in 0..<file.count {
      let part = Array(file.prefix(cut))
      #expect(throws: WebP.DecodeError.self) { try WebP.Animation(part) }
      guard let animation = try? WebP.Animation(recovering: part) else {
        #expect(cut < 30)
        continue
      }
      #expect(cut >= 30 && animation.recoveryError?.kind == .truncated)
      // The first frame begins after VP8X and ANIM.
      if cut >= 44 { #expect(animation.recoveryError?.frame == animation.frameCount) }
      expectSame(animation.frames, Array(whole.frames.prefix { $0.bytes.upperBound <= cut }))
    }
    #expect(whole.recoveryError == nil)
  }

  /// Reading all frames ends with the error, so that a truncated file is not mistaken for a complete one.
  @Test func recoveredAnimationEndsWithItsError() throws {
    // The file ends in its fourth ANMF chunk.
    let file = try TestFile.bytes("truncated-animation.webp")
    let error = #expect(throws: WebP.DecodeError.self) { try WebP.Animation(file) }
    #expect(error?.cause == .init(.truncatedFile) && error?.frame == 3)
    let animation = try WebP.Animation(recovering: file)
    var frames = animation.makeIterator()
    var count = 0
    let last = #expect(throws: WebP.DecodeError.self) { while try frames.nextFrame() != nil { count += 1 } }
    #expect(count == 3 && last?.cause == .init(.truncatedFile) && last?.frame == 3)
    #expect(Array(animation).count == 3)
  }

  /// The animation has four canvases of 60 pixels. The first conversion is not counted. The other conversions may
  /// process at most `total` and at most 2 · `free` pixels.
  @Test(arguments: [
    (180, 90, 4), (179, 90, 3), (180, 89, 3), (119, 60, 2),
  ])
  func convertedCanvasesAreCounted(_ total: Int, _ free: Int, _ converted: Int) throws {
    var random = SplitMix64(seed: 13)
    let frames = (0..<4).map { _ in PlainFrame(picture: PixelGrid(width: 5, height: 4, using: &random)) }
    let file = FileWriter.animation(width: 10, height: 6, frames)
    var options = WebP.DecodeOptions(
      limits: .init(unrestrictedPixels: free, maximumPixelsPerByte: 0, maximumAnimationPixels: total))
    #expect(Array(try WebP.Animation(file, options: options)).count == 4)

    options.format = .rgb
    try expect(converted)
    options.format = .rgba
    options.size = .exact(width: 1, height: 1)
    try expect(converted)
    options.size = .exact(width: 10, height: 12)  // twice as many pixels
    try expect(min(total, 2 * free) >= 120 ? 2 : 1)

    func expect(_ count: Int) throws {
      var whole = try WebP.Animation(file, options: options).makeIterator()
      var stream = WebP.StreamingAnimation(options: options)
      try stream.append(file)
      for _ in 0..<count {
        #expect(try whole.nextFrame() != nil)
        #expect(try stream.nextFrame() != nil)
      }
      guard count < 4 else { return }
      #expect(throws: WebP.DecodeError.self) { try whole.nextFrame() }
      #expect(try stream.nextFrame() == nil, "more bytes might arrive")
      try stream.finish()
      let error = #expect(throws: WebP.DecodeError.self) { try stream.nextFrame() }
      #expect(error?.kind == .limitExceeded)
    }
  }

  /// The animation has two canvases of 800 pixels. The first one is delivered in parts, which are also converted. Parts
  /// have a separate budget: the first part is not counted, and two more are allowed.
  ///
  /// - Parameter spare: the number of unused bytes at the end of a frame's data. If it is not 0, all pixels arrive
  ///   before the frame is complete.
  @Test(arguments: [0, 20]) func partsOfConvertedCanvasesHaveASeparateBudget(spare: Int) throws {
    var random = SplitMix64(seed: 14)
    let frames = (0..<2).flatMap { _ in
      let frame = PlainFrame(picture: PixelGrid(width: 5, height: 80, using: &random))
      let stream = FileWriter.vp8L(frame.picture) + [UInt8](repeating: 0, count: spare)
      return FileWriter.anmf(frame, chunks: FileWriter.chunk("VP8L", stream))
    }
    let file = FileWriter.riff(FileWriter.vp8X(flags: 0x12, width: 10, height: 80), FileWriter.anim(), frames)
    let options = WebP.DecodeOptions(format: .rgb, limits: .init(unrestrictedPixels: 800, maximumPixelsPerByte: 0))
    var stream = WebP.StreamingAnimation(options: options)
    var (partCount, frameCount) = (0, 0)
    for byte in file {
      try stream.append([byte])
      while try stream.nextFrame() != nil { frameCount += 1 }
      if frameCount == 0, try stream.partialFrame() != nil { partCount += 1 }
    }
    #expect(partCount == 3 && frameCount == 2)
  }
}
