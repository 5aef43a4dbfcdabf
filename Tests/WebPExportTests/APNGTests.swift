import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that APNGs have the canvases and durations of the animation.
/// Expected values: `APNGReader`, which shares no code with the writer, pngcheck and Pillow.
@Suite struct APNGTests {
  /// The valid vectors that are animations of more than one frame.
  static let animations: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: TestFile.vectors.path)) ?? []
    return names.filter { $0.contains("anim") && $0.hasSuffix(".webp") }.sorted().filter { name in
      guard let animation = try? WebP.Animation(TestFile.vector(name)) else {
        return false
      }
      return animation.frameCount > 1 && (try? animation.frame(at: animation.frameCount - 1)) != nil
    }
  }()

  @Test func vectorsIncludeAnimations() { #expect(Self.animations.count >= 5) }

  @Test(arguments: animations)
  func everyCanvasIsShown(_ name: String) throws {
    let bytes = try TestFile.vector(name)
    for format in [WebP.PixelFormat.rgba, .bgra] {
      try compare(try WebP.Animation(bytes, options: .init(format: format)), with: try WebP.Animation(bytes))
    }
    try compareOpaque(bytes)
    // Flipped and scaled canvases, which the writer cannot copy from the frames of the file.
    let options = WebP.DecodeOptions(size: .exact(width: 13), flipsVertically: true)
    try compare(try WebP.Animation(bytes, options: options), with: try WebP.Animation(bytes, options: options))
  }

  private func compare(_ animation: WebP.Animation, with reference: WebP.Animation) throws {
    let apng = try APNGReader(try animation.encoded().bytes)
    #expect(apng.plays == animation.loopCount)
    #expect(apng.frames.count == reference.frameCount)
    var iterator = reference.makeIterator()
    for (index, frame) in apng.frames.enumerated() {
      let expected = try #require(try iterator.nextFrame())
      // APNG stores a delay as a fraction of two 16-bit numbers, which cannot represent every millisecond above 65,535
      // ms.
      let difference = abs(frame.duration - expected.info.storedMilliseconds)
      #expect(difference <= (expected.info.storedMilliseconds <= 65_535 ? 0 : expected.info.storedMilliseconds / 1000))
      expectSame(visible(frame.canvas), visible(Array(expected.image.pixels)), "frame \(index)")
    }
  }

  /// Compares canvases without alpha.
  private func compareOpaque(_ bytes: some Collection<UInt8>) throws {
    let animation = try WebP.Animation(bytes, options: .init(format: .rgb))
    for (frame, expected) in zip(try APNGReader(try animation.encoded().bytes).frames, animation) {
      let colors = frame.canvas.indices.filter { $0 % 4 != 3 }.map { frame.canvas[$0] }
      expectSame(colors, Array(expected.image.pixels), "frame \(expected.index)")
      #expect(stride(from: 3, to: frame.canvas.count, by: 4).allSatisfy { frame.canvas[$0] == 255 })
    }
  }

  /// The color of transparent pixels is not visible.
  private func visible(_ rgba: [UInt8]) -> [UInt8] {
    var visible = rgba
    for alpha in stride(from: 3, to: rgba.count, by: 4) where rgba[alpha] == 0 {
      visible.replaceSubrange(alpha - 3..<alpha, with: [0, 0, 0])
    }
    return visible
  }

  @Test func onlyFramesWithoutTranslucencyAreBlended() throws {
    var frames = [PlainFrame(width: 8, height: 6, color: (200, 100, 50))]
    // Alpha of 0 or 255; translucent pixels; alpha of 0 or 255 over a disposed rectangle; no blending.
    frames.append(.init(x: 2, y: 2, width: 5, height: 3, isBlended: true, color: (1, 2, 3), alphas: (0, 255)))
    frames.append(.init(x: 0, y: 2, width: 5, height: 4, isBlended: true, color: (9, 9, 200), alphas: (0, 128)))
    frames[2].isDisposed = true
    frames.append(.init(x: 2, y: 0, width: 6, height: 6, isBlended: true, color: (7, 80, 7), alphas: (0, 255)))
    frames.append(.init(x: 4, y: 4, width: 3, height: 2, duration: 77, color: (255, 0, 0), alphas: (255, 30)))
    let file = FileWriter.animation(width: 8, height: 6, loopCount: 4, frames)
    for format in [WebP.PixelFormat.rgba, .argb, .argbPremultiplied] {
      let animation = try WebP.Animation(file, options: .init(format: format))
      // Multiplied colors are rounded.
      if format != .argbPremultiplied { try compare(animation, with: try WebP.Animation(file)) }
      #expect(
        try APNGReader(try animation.encoded().bytes).frames.map(\.isBlended) == [false, true, false, true, false])
    }
  }

  /// The rectangle of a disposed frame is transparent, also if the canvases are converted.
  @Test func disposedRectanglesAreTransparent() throws {
    var frames = [PlainFrame(width: 8, height: 6, color: (200, 100, 50))]
    frames.append(.init(x: 2, y: 2, width: 4, height: 2, isDisposed: true, color: (1, 2, 3)))
    frames.append(.init(x: 0, y: 0, width: 2, height: 2, color: (4, 5, 6)))
    let options = WebP.DecodeOptions(flipsVertically: true)
    let file = FileWriter.animation(width: 8, height: 6, frames)
    for (options, colorType) in [(WebP.DecodeOptions(), 2), (options, 6)] {
      let animation = try WebP.Animation(file, options: options)
      #expect(try PNGReader(try animation.encoded().bytes).colorType == colorType)
      try compare(animation, with: animation)
    }
  }

  @Test func firstFrameMayBeSmallerThanTheCanvas() throws {
    var frames = [PlainFrame(x: 2, y: 4, width: 3, height: 2, color: (200, 100, 50))]
    frames[0].isDisposed = true
    frames.append(.init(x: 4, y: 0, width: 5, height: 7, isBlended: true, color: (1, 2, 3), alphas: (0, 255)))
    let file = FileWriter.animation(width: 9, height: 7, frames)
    let animation = try WebP.Animation(file)
    try compare(animation, with: animation)
    try compareOpaque(file)
  }

  /// Every cut of a file yields the frames before it, and the loss of all others.
  @Test func framesAfterAnErrorAreALoss() async throws {
    let bytes = try [UInt8](TestFile.vector("animation-random-7.webp"))
    let whole = try WebP.Animation(bytes)
    #expect(try whole.encoded().losses == [] && whole.frames.count > 2)
    for count in [1, 2, whole.frames.count - 1] {
      let cut = bytes[..<(whole.frames[count].bytes.upperBound - 1)]
      let animation = try WebP.Animation(recovering: cut)
      let error = try #require(animation.recoveryError)
      #expect(error.kind == .truncated && error.frame == count)
      let file = try animation.encoded()
      #expect(file.losses == [.framesAfterError(error, frames: count)])
      #expect(try await animation.encodedInBackground() == file)
      var written: [UInt8] = []
      #expect(try animation.write { written += $0 }.losses == file.losses && written == file.bytes)
      if count > 1 { #expect(try APNGReader(file.bytes).frames.count == count) }
      var frames = animation.makeIterator()
      for _ in 0..<count { #expect(try frames.nextFrame() != nil) }
      #expect(throws: WebP.DecodeError.self) { try frames.nextFrame() }
    }
  }

  @Test func opaqueAnimationsHaveNoAlpha() throws {
    let bytes = try TestFile.vector("animation-lossy.webp")
    let animation = try WebP.Animation(bytes)
    let isOpaque =
      !animation.frames.contains { $0.hasAlpha } && animation.frames[0].rectangle.width == animation.canvasSize.width
    #expect(try PNGReader(try animation.encoded().bytes).colorType == (isOpaque ? 2 : 6))
  }

  /// The PNG has the pixels of the canvas, which may be larger than the frame.
  @Test func singleFrameIsNotAnAnimation() throws {
    let frame = PlainFrame(x: 2, y: 4, width: 3, height: 2, color: (200, 100, 50))
    let animation = try WebP.Animation(FileWriter.animation(width: 9, height: 7, [frame]))
    var bytes: [UInt8] = []
    var progress: [Int] = []
    try animation.write(progress: { progress.append($0) }, to: { bytes += $0 })
    #expect(progress == [0])
    let png = try PNGReader(bytes)
    #expect(!png.chunks.contains { ["acTL", "fcTL"].contains($0.type) })
    try expectSame(visible(png.pixels), visible(Array(animation.frame(at: 0).image.pixels)))
  }

  /// The frame covers a part of the canvas. The rest is transparent, even if the headers do not declare alpha.
  @Test func firstFrameIsConvertedOnItsCanvas() throws {
    let frame = PlainFrame(x: 2, y: 4, width: 3, height: 2, color: (200, 100, 50))
    var file = FileWriter.animation(width: 9, height: 7, [frame, frame])
    file[20] &= ~0x10
    #expect(try !WebP.info(file).hasAlpha)
    var bytes: [UInt8] = []
    try WebP.writePNG(of: file) { bytes += $0 }
    try expectSame(visible(PNGReader(bytes).pixels), visible(Array(WebP.decode(file).pixels)))
  }

  /// Writes the animation's metadata, other metadata, or none.
  @Test(arguments: ["animation-metadata.webp", "encoder-pillow-metadata.webp"])
  func metadataIsStored(_ name: String) throws {
    let animation = try WebP.Animation(TestFile.vector(name))
    let own = Array("Exif\0\0MM\0*".utf8)
    func exif(_ metadata: WebP.Metadata?) throws -> [[UInt8]] {
      let file = try animation.encoded(metadata: metadata).bytes
      var written: [UInt8] = []
      try animation.write(metadata: metadata) { written += $0 }
      expectSame(file, written)
      return try PNGReader(file).chunks.filter { $0.type == "eXIf" }.map(\.payload)
    }
    let stored = try #require(animation.metadata.exif)
    #expect(try exif(nil) == [stored.starts(with: "Exif\0\0".utf8) ? Array(stored[6...]) : stored])
    #expect(try exif(.init(exif: own)) == [Array("MM\0*".utf8)])
    #expect(try exif(.init()) == [])
  }

  @Test(arguments: [
    (0, 0), (1, 1), (40, 40), (65535, 65535), (65536, 65536), (70_001, 70_001), (100_003, 100_003),
    (1_234_567, 1_234_566), (16_777_215, 16_777_333), (70_000_000, 65_535_000), (9_300_000_000_000_000, 65_535_000),
    (.max, 65_535_000), (-1, 0), (.min, 0),
  ])
  func durationsHaveTheBestPrecision(_ duration: Int, _ shown: Int) throws {
    let writer = try WebP.APNGWriter(.init(width: 2, height: 1, colorType: .rgb), frameCount: 2, loopCount: 3)
    let whole = WebP.Rectangle(x: 0, y: 0, width: 2, height: 1)
    let right = WebP.Rectangle(x: 1, y: 0, width: 1, height: 1)
    var file: [UInt8] = []
    try writer.write(.init(whole, milliseconds: 7), pixels: ContiguousArray([1, 2, 3, 4, 5, 6]).span) { file += $0 }
    try writer.write(.init(right, milliseconds: duration), pixels: ContiguousArray([7, 8, 9]).span) { file += $0 }
    try writer.finish(metadata: .init(exif: Array("MM\0*".utf8), xmp: Array("<x/>".utf8))) { file += $0 }
    #expect(try PNGReader(file).chunks.map(\.type).suffix(4) == ["fdAT", "eXIf", "iTXt", "IEND"])
    let apng = try APNGReader(file)
    #expect(apng.plays == 3)
    #expect(apng.frames.map(\.duration) == [7, shown])
    #expect(apng.frames[1].canvas == [1, 2, 3, 255, 7, 8, 9, 255])
  }

  @Test func framesOutsideOfTheCanvasAreRejected() throws {
    let header = WebP.PNGHeader(width: 2, height: 2, colorType: .gray)
    for (frames, loops) in [(0, 0), (-1, 0), (1, -1), (.max, 0), (1, .max)] {
      let error = #expect(throws: WebP.ExportError.self) {
        try WebP.APNGWriter(header, frameCount: frames, loopCount: loops)
      }
      #expect("\(try #require(error))".contains("larger") == (max(frames, loops) == .max))
    }
    let palette = WebP.PNGHeader(width: 2, height: 2, colorType: .palette([.init(red: 1, green: 2, blue: 3)]))
    #expect(throws: WebP.ExportError.self) { try WebP.APNGWriter(palette, frameCount: 2, loopCount: 0) }
    for place in [(0, 0, 1, 2), (1, 0, 2, 2), (-1, 0, 2, 2), (0, -1, 2, 2), (0, 0, 0, 0)] {
      let writer = try WebP.APNGWriter(header, frameCount: 2, loopCount: 0)
      let rectangle = WebP.Rectangle(x: place.0, y: place.1, width: place.2, height: place.3)
      #expect(throws: WebP.ExportError.self) {
        try writer.write(.init(rectangle, milliseconds: 1), pixels: ContiguousArray([1, 2, 3, 4]).span) { _ in }
      }
    }
  }

  @Test(.needs("pngcheck"), arguments: animations)
  func pngcheckAcceptsTheFiles(_ name: String) throws {
    let animation = try WebP.Animation(TestFile.vector(name))
    let file = TemporaryFolder.place().appendingPathExtension("png")
    try Data(animation.encoded().bytes).write(to: file)
    let result = try FinishedProcess(named: "pngcheck", ["-q", file.path])
    #expect(result.status == 0 && result.text.isEmpty, "\(result.text)")
  }

  @Test(.needsPillow)
  func pillowReadsTheSameFrames() throws {
    let animations = try Self.animations.map {
      try WebP.Animation(TestFile.vector($0))
    }
    let lines = try Tool.pillow("f'{i.n_frames} {i.width} {i.height}'", of: animations.map { try $0.encoded().bytes })
    for (line, (name, animation)) in zip(lines, zip(Self.animations, animations)) {
      #expect(line == "\(animation.frameCount) \(animation.canvasSize.width) \(animation.canvasSize.height)", "\(name)")
    }
  }
}
