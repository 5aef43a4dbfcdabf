import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that frames are composed, described and limited correctly.
/// Expected values: a reference composer that draws every pixel separately, and headers that the tests write.
@Suite(.helpers(3)) struct AnimationTests {
  static func randomFrames(
    width: Int, height: Int, count: Int, using random: inout SplitMix64
  ) -> [PlainFrame] {
    (0..<count).map { _ in
      let isFull = Int.random(in: 0..<3, using: &random) == 0
      let x = isFull ? 0 : Int.random(in: 0..<width, using: &random) & ~1
      let y = isFull ? 0 : Int.random(in: 0..<height, using: &random) & ~1
      let picture = PixelGrid(
        width: isFull ? width : Int.random(in: 1...width - x, using: &random),
        height: isFull ? height : Int.random(in: 1...height - y, using: &random), using: &random)
      return PlainFrame(
        picture: picture, x: x, y: y, duration: Int.random(in: 0...500, using: &random),
        isBlended: Int.random(in: 0..<3, using: &random) > 0, isDisposed: Bool.random(using: &random),
        hasAlpha: Int.random(in: 0..<4, using: &random) > 0)
    }
  }

  private static func options(_ format: WebP.PixelFormat) -> WebP.DecodeOptions {
    WebP.DecodeOptions(format: format)
  }

  @Test(arguments: [WebP.PixelFormat.rgba, .bgra, .rgbaPremultiplied, .bgraPremultiplied])
  func composedFramesMatchTheReference(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<60 {
      let (width, height) = (Int.random(in: 1...24, using: &random), Int.random(in: 1...12, using: &random))
      let frames = Self.randomFrames(
        width: width, height: height, count: Int.random(in: 1...9, using: &random), using: &random)
      let file = FileWriter.animation(width: width, height: height, frames)
      let animation = try WebP.Animation(file, options: Self.options(format))
      #expect(animation.frameCount == frames.count)

      let isPremultiplied = format == .rgbaPremultiplied || format == .bgraPremultiplied
      var plain = PlainComposer(width: width, height: height, isPremultiplied: isPremultiplied)
      var time = 0
      var shown: [WebP.Animation.Frame] = []
      var iterator = animation.makeIterator()
      for (index, frame) in frames.enumerated() {
        var expected = plain.compose(frame)
        if format == .bgra || format == .bgraPremultiplied {
          expected.pixels = expected.pixels.map { SIMD4($0.z, $0.y, $0.x, $0.w) }
        }
        let found = try #require(try iterator.nextFrame())
        expectSame(found.image.pixels, expected.bytes)
        #expect(found.image.format == format && found.image.width == width && found.image.height == height)
        #expect(found.index == index && found.info.storedMilliseconds == frame.duration)
        #expect(found.info.displayStartMilliseconds == time)
        time += frame.duration < 11 ? 100 : frame.duration
        #expect(found.info.isKeyFrame == plain.isKeyFrame)
        shown.append(found)
      }
      #expect(try iterator.nextFrame() == nil)
      #expect(animation.displayMilliseconds == time)
      let info = try WebP.info(file)
      #expect(info.displayMilliseconds == time && info.storedMilliseconds == frames.reduce(0) { $0 + $1.duration })
      expectSame(Array(animation), shown)
      for index in frames.indices.shuffled(using: &random) {
        try expectSame(animation.frame(at: index), shown[index])
      }
    }
  }

  /// Only a few rows of a blended frame are in memory at a time.
  @Test(arguments: 1...2) func blendedTallFramesMatchTheReference(threads: Int) throws {
    var random = SplitMix64(seed: 18)
    let vector = try Array(Conformance.vector("alpha-large.webp"))
    var lossy = Array(vector[try #require(vector.firstRange(of: Array("VP8 ".utf8))).lowerBound...])
    let (width, height) = (180, 112)
    // The last row of macroblocks is completely visible. Together with the rows that the loop filter has deferred, it
    // is the largest number of rows that are blended in one step.
    #expect(lossy[14...17].elementsEqual([180, 0, 100, 0]))
    lossy[16] = UInt8(height)
    let levels = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &random) }
    lossy = FileWriter.chunk("ALPH", [0] + levels) + lossy
    let still = try WebP.decode(FileWriter.riff(FileWriter.vp8X(flags: 0x10, width: width, height: height), lossy))
    let pixels = stride(from: 0, to: still.pixels.count, by: 4).map { at -> SIMD4<UInt8> in
      SIMD4(still.pixels[at], still.pixels[at + 1], still.pixels[at + 2], still.pixels[at + 3])
    }
    let noise = [height, 90, 27].map { PlainFrame(picture: PixelGrid(width: width, height: $0, using: &random)) }
    let last = PlainFrame(picture: PixelGrid(width: width, height: height, pixels: pixels))
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x12, width: width, height: height), FileWriter.anim(),
      noise.flatMap { FileWriter.anmf($0) }, FileWriter.anmf(last, chunks: lossy))
    var options = Self.options(.rgba)
    options.threads = WebP.Threads(count: threads, batchPixels: 1)
    var plain = PlainComposer(width: width, height: height, isPremultiplied: false)
    var composed = try WebP.Animation(file, options: options).makeIterator()
    for frame in noise + [last] { try expectSame(composed.nextFrame()?.image.pixels, plain.compose(frame).bytes) }
  }

  @Test func framePropertiesMatchTheFile() throws {
    var random = SplitMix64(seed: 6)
    let frame = PlainFrame(
      picture: PixelGrid(width: 3, height: 5, using: &random), x: 4, y: 2, duration: 70, isBlended: false,
      isDisposed: true)
    let file = FileWriter.animation(width: 9, height: 8, loopCount: 3, [frame, frame])
    let animation = try WebP.Animation(file)
    #expect(animation.canvasSize == WebP.Size(width: 9, height: 8))
    #expect(
      animation.loopCount == 3
        && animation.backgroundColor == WebP.Color(red: 0x40, green: 0x20, blue: 0x10, alpha: 0x80))
    let info = animation.frames[1]
    #expect(info.rectangle == WebP.Rectangle(x: 4, y: 2, width: 3, height: 5))
    #expect(info.storedMilliseconds == 70 && info.displayStartMilliseconds == 70)
    #expect(!info.isBlended && info.isDisposed && info.hasAlpha && info.compression == .lossless)
    #expect(Array(file[info.bytes]) == FileWriter.chunk("VP8L", FileWriter.vp8L(frame.picture)))
    try expectSame(animation.image(ofFrame: 1).pixels, frame.picture.bytes)
    // Options for the canvas do not apply to uncomposed frames.
    let options = WebP.DecodeOptions(
      crop: WebP.Rectangle(x: 1, y: 1, width: 1, height: 1), size: .exact(width: 9, height: 7), flipsVertically: true)
    let scaled = try WebP.Animation(animation.bytes, options: options)
    #expect(try scaled.image(ofFrame: 1) == animation.image(ofFrame: 1))
    #expect(try scaled.frame(at: 1).image.width == 9)
    #expect(throws: WebP.DecodeError.self) { try animation.frame(at: 2) }
    #expect(throws: WebP.DecodeError.self) { try animation.image(ofFrame: -1) }

    let header = try WebP.info(file)
    #expect(header.isAnimated && header.frameCount == 2 && header.loopCount == 3)
    // The second frame is incomplete.
    #expect(try WebP.info(Array(file.dropLast(2))).frameCount == 1)
  }

  @Test func stillImageIsOneFrame() throws {
    var random = SplitMix64(seed: 7)
    let picture = PixelGrid(width: 6, height: 7, using: &random)
    let chunk = FileWriter.chunk("VP8L", FileWriter.vp8L(picture))
    for file in [
      FileWriter.riff(chunk), FileWriter.riff(FileWriter.vp8X(flags: 0x10, width: 6, height: 7), chunk), chunk,
      FileWriter.vp8L(picture),
    ] {
      let animation = try WebP.Animation(file)
      #expect(animation.frames.count == 1 && animation.loopCount == 1 && animation.displayMilliseconds == 0)
      #expect(animation.backgroundColor == 0xFFFFFF)
      try expectSame(animation.frame(at: 0).image.pixels, picture.bytes)
    }
  }

  @Test func frameFilesDecodeToTheFrames() throws {
    var random = SplitMix64(seed: 17)
    let frames = (0..<3).map { _ in PlainFrame(picture: PixelGrid(width: 5, height: 4, using: &random), x: 2, y: 2) }
    let animation = try WebP.Animation(FileWriter.animation(width: 9, height: 9, frames))
    for (index, frame) in frames.enumerated() {
      let file = try animation.file(ofFrame: index)
      expectSame(file, FileWriter.riff(FileWriter.chunk("VP8L", FileWriter.vp8L(frame.picture))))
      try expectSame(WebP.decode(file).pixels, frame.picture.bytes)
    }
    let lossy = FileWriter.chunk("VP8 ", FileWriter.vp8Frame(width: 5, height: 4))
    let alpha = FileWriter.chunk("ALPH", [0] + [UInt8](repeating: 9, count: 20))
    let mixed = try WebP.Animation(
      FileWriter.riff(
        FileWriter.vp8X(flags: 0x12, width: 9, height: 9), FileWriter.anim(),
        FileWriter.anmf(frames[0], chunks: alpha + lossy), FileWriter.anmf(frames[0], chunks: lossy)))
    let extended = FileWriter.vp8X(flags: 0x10, width: 5, height: 4)
    try expectSame(mixed.file(ofFrame: 0), FileWriter.riff(extended, alpha, lossy))
    try expectSame(mixed.file(ofFrame: 1), FileWriter.riff(lossy))
    #expect(throws: WebP.DecodeError.self) { try mixed.file(ofFrame: 2) }
    let bare = try WebP.Animation(FileWriter.vp8L(frames[0].picture))
    #expect(throws: WebP.DecodeError.self) { try bare.file(ofFrame: 0) }
  }

  /// Formats without direct composition are converted from R G B A, and so are crops.
  @Test func otherFormatsAreConverted() throws {
    var random = SplitMix64(seed: 8)
    let frames = Self.randomFrames(width: 10, height: 8, count: 6, using: &random)
    let file = FileWriter.animation(width: 10, height: 8, frames)
    var cropped = Self.options(.argb)
    cropped.crop = WebP.Rectangle(x: 3, y: 1, width: 5, height: 6)
    var plain = PlainComposer(width: 10, height: 8, isPremultiplied: false)
    let rgb = Array(try WebP.Animation(file, options: Self.options(.rgb)))
    let argb = Array(try WebP.Animation(file, options: cropped))
    #expect(rgb.count == 6 && argb.count == 6)
    for (index, frame) in frames.enumerated() {
      let canvas = plain.compose(frame)
      let expectedRGB = canvas.pixels.flatMap { pixel -> [UInt8] in [pixel.x, pixel.y, pixel.z] }
      expectSame(Array(rgb[index].image.pixels), expectedRGB)
      let part = (1..<7).flatMap { (y: Int) -> ArraySlice<SIMD4<UInt8>> in canvas.pixels[10 * y + 3..<10 * y + 8] }
      let expectedARGB = part.flatMap { pixel -> [UInt8] in [pixel.w, pixel.x, pixel.y, pixel.z] }
      expectSame(Array(argb[index].image.pixels), expectedARGB)
    }
  }

  /// The options of the lossy decoder apply to frames.
  @Test func lossyFramesMatchStillImages() throws {
    let photo = try Array(Conformance.vector("encoder-cwebp-q75.webp"))
    let size = try WebP.info(photo)
    let frame = PlainFrame(picture: PixelGrid(width: size.width, height: size.height, pixels: []))
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: size.width, height: size.height), FileWriter.anim(),
      FileWriter.anmf(frame, chunks: Array(photo[12...])))
    var (nearest, unfiltered) = (WebP.DecodeOptions(), WebP.DecodeOptions())
    nearest.upsampling = .nearest
    unfiltered.bypassesLoopFilter = true
    let images = try [WebP.DecodeOptions(), nearest, unfiltered].map { options in
      let image = try WebP.decode(photo, options: options)
      try expectSame(WebP.Animation(file, options: options).frame(at: 0).image, image)
      return image
    }
    #expect(Set(images).count == 3)
  }

  @Test(arguments: WebP.PixelFormat.allCases) func stillImageOfAnAnimationIsItsFirstFrame(format: WebP.PixelFormat)
    throws
  {
    var random = SplitMix64(seed: 9)
    let frames = Self.randomFrames(width: 9, height: 7, count: 2, using: &random)
    let file = FileWriter.animation(width: 9, height: 7, frames)
    let options = Self.options(format)
    let first = try WebP.Animation(file, options: options).frame(at: 0).image
    try expectSame(WebP.decode(file, options: options), first)
    let stride = 9 * format.bytesPerPixel + 3
    let layout = try #require(WebP.Layout(format: format, width: 9, height: 7, stride: stride))
    var pixels = [UInt8](repeating: 0, count: layout.byteCount)
    #expect(try WebP.decode(file, into: &pixels, stride: stride, options: options) == layout)
    for (gapped, packed) in zip(layout.planes, first.layout.planes) {
      for row in 0..<gapped.rows {
        let (from, to) = (gapped.offset + row * gapped.stride, packed.offset + row * packed.stride)
        expectSame(Array(pixels[from..<from + gapped.rowBytes]), Array(first.pixels[to..<to + packed.rowBytes]))
      }
    }
    var tooSmall = [UInt8](repeating: 0, count: layout.byteCount - 1)
    #expect(throws: WebP.DecodeError.self) {
      try WebP.decode(file, into: &tooSmall, stride: stride, options: options)
    }
  }
}
