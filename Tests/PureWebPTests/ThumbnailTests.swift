import ConformanceGenerator
import ConformanceSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

/// Proves that upright images have the orientation of the metadata and the size of the options.
/// Expected values: pixels that the test writes and rotates by hand.
@Suite struct ThumbnailTests {
  /// Three columns and two rows, to be rotated clockwise.
  private static let rotated: (grid: PixelGrid, file: [UInt8]) = {
    var random = SplitMix64(seed: 38)
    let grid = PixelGrid(width: 3, height: 2, using: &random)
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x18, width: 3, height: 2), FileWriter.chunk("VP8L", FileWriter.vp8L(grid)),
      FileWriter.chunk("EXIF", Exif.turnedRight))
    return (grid, file)
  }()

  private func box(_ side: Int) -> WebP.DecodeOptions {
    .init(size: .fit(width: side, height: side), isUpright: true)
  }

  @Test func thumbnailsAreUprightAndNotEnlarged() throws {
    let thumbnail = try WebP.decode(Self.rotated.file, options: box(256))
    try expectSame(WebP.decode(Self.rotated.file, options: box(.max)), thumbnail)
    #expect(thumbnail.width == 2 && thumbnail.height == 3 && thumbnail.appliedOrientation != nil)
    // A clockwise rotation moves the lower left pixel to the upper left and the upper left one to the upper right.
    let stored = Self.rotated.grid.bytes
    #expect(thumbnail[0, 0] == ArraySlice(stored[12..<16]) && thumbnail[1, 0] == ArraySlice(stored[0..<4]))
    #expect(thumbnail[0, 2] == ArraySlice(stored[20..<24]) && thumbnail[1, 2] == ArraySlice(stored[8..<12]))
  }

  @Test func thumbnailsInTheBackgroundAreEqual() async throws {
    for file in [Self.rotated.file, try Array(Conformance.vector("animation-random-7.webp"))] {
      for side in [2, 1000] {
        let thumbnail = try await WebP.decodeInBackground(file, options: box(side))
        #expect(try thumbnail == WebP.decode(file, options: box(side)))
        #expect(thumbnail.appliedOrientation != nil)
      }
    }
    await #expect(throws: WebP.DecodeError.self) { try await WebP.decodeInBackground([1, 2, 3], options: box(2)) }
    await #expect(throws: WebP.DecodeError.self) {
      try await WebP.decodeInBackground(Self.rotated.file, options: box(0))
    }
    #expect(throws: WebP.DecodeError.self) { try WebP.decode(Self.rotated.file, options: box(0)) }
    var limited = box(9)
    limited.limits.maximumPixels = 5
    #expect(throws: WebP.DecodeError.self) { try WebP.decode(Self.rotated.file, options: limited) }
    let cancelled = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await WebP.decodeInBackground(Self.rotated.file, options: box(2))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  /// The sides of the size are the sides of the oriented image.
  @Test(arguments: [
    (WebP.OutputSize.fit(width: 4), 2, 3), (.fit(width: 1), 1, 2), (.fit(height: 1), 1, 1), (.fit(height: 2), 1, 2),
    (.fill(width: 4, enlarges: true), 4, 6), (.exact(width: 5, height: 9), 5, 9), (.exact(height: 9), 6, 9),
  ]) func sizesReferToTheUprightImage(size: WebP.OutputSize, width: Int, height: Int) async throws {
    let options = WebP.DecodeOptions(size: size, isUpright: true)
    let image = try WebP.decode(Self.rotated.file, options: options)
    #expect(image.width == width && image.height == height)
    let other = try await WebP.decodeInBackground(Self.rotated.file, options: options)
    expectSame(other, image)
    let (info, output) = (try WebP.info(Self.rotated.file), WebP.Size(width: width, height: height))
    #expect(try options.outputSize(for: info) == output)
    #expect(try options.outputSize(for: WebP.info(prefix: Self.rotated.file)) == output)
    let rowBytes = 4 * width + 3
    var memory = [UInt8](repeating: 7, count: try options.layout(for: info, stride: rowBytes).byteCount)
    try WebP.decode(Self.rotated.file, into: &memory, stride: rowBytes, options: options)
    expectSame(WebP.Image(width: width, height: height, format: .rgba, pixels: memory, stride: rowBytes), image)
    // A stream delivers stored rows, and the upright image at the end.
    for size in [1, 1 << 20] {
      var stream = WebP.StreamingDecoder(options: options)
      for start in stride(from: 0, to: Self.rotated.file.count, by: size) {
        try stream.append(Self.rotated.file[start...].prefix(size))
      }
      #expect(stream.image?.appliedOrientation == nil)
      #expect(try stream.finish() == .finished)
      expectSame(stream.image, image)
      #expect(stream.image?.appliedOrientation == .right)
    }
  }

  /// The last update has the upright image. It waits for the metadata alone: `end` never comes.
  @Test(arguments: [1, 50, 1 << 20]) func lastUpdateIsUpright(size: Int) async throws {
    let file = Self.rotated.file
    let (pieces, end) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
    for start in stride(from: 0, to: file.count, by: size) { end.yield(ArraySlice(file[start...].prefix(size))) }
    let options = WebP.DecodeOptions(size: .fit(width: 1), isUpright: true)
    var updates: [WebP.Update] = []
    for try await update in WebP.updates(from: pieces, options: options) { updates.append(update) }
    try expectSame(updates.last?.image, WebP.decode(file, options: options))
    #expect(updates.last?.rows == 0..<2 && updates.last?.image.appliedOrientation == .right)
    #expect(updates.map(\.isComplete) == updates.indices.map { $0 == updates.count - 1 })
    let stored = updates.dropLast().map(\.rows.count).reduce(0, +)
    #expect(size == 1 ? stored == 1 : stored == 0 || stored == 1)
  }

  /// The bytes may end before the metadata. The image then has no orientation.
  @Test func lastUpdateFollowsTheEndOfTheBytes() async throws {
    let (pieces, end) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
    end.yield(ArraySlice(Self.rotated.file.dropLast(4)))
    end.finish()
    var updates: [WebP.Update] = []
    for try await update in WebP.updates(from: pieces, options: .init(isUpright: true)) { updates.append(update) }
    #expect(updates.map(\.isComplete) == [false, true])
    try expectSame(updates.last?.image, WebP.decode(Self.rotated.file))
  }

  /// If the orientation is known before the pixels, the size refers to the upright image from the first row on.
  @Test func completeFilesAreDecodedOnce() throws {
    let options = WebP.DecodeOptions(size: .fit(width: 1), isUpright: true)
    var decoder = WebP.StreamingDecoder(options: options)
    try decoder.append(Self.rotated.file)
    #expect(decoder.isFinished && decoder.image?.width == 2 && decoder.image?.height == 1)
    try decoder.finish()
    try expectSame(decoder.image, WebP.decode(Self.rotated.file, options: options))
  }

  /// The crop is the left column of the stored image, which becomes the upper row.
  @Test func cropsReferToTheStoredImage() throws {
    let left = WebP.DecodeOptions(crop: .init(x: 0, y: 0, width: 1, height: 2), isUpright: true)
    let image = try WebP.decode(Self.rotated.file, options: left)
    let stored = Self.rotated.grid.bytes
    #expect(image.width == 2 && image.height == 1)
    #expect(image[0, 0] == ArraySlice(stored[12..<16]) && image[1, 0] == ArraySlice(stored[0..<4]))
  }

  /// Frames and the thumbnail are rotated alike. Rows cannot be rotated.
  @Test func firstFrameIsTheThumbnailOfAnAnimation() throws {
    let frame = PlainFrame(picture: Self.rotated.grid)
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x1A, width: 3, height: 2), FileWriter.anim(), FileWriter.anmf(frame),
      FileWriter.anmf(frame),
      FileWriter.chunk("EXIF", Exif.turnedRight))
    let upright = WebP.DecodeOptions(isUpright: true)
    try expectSame(WebP.decode(file, options: upright), WebP.decode(Self.rotated.file, options: upright))
    let animation = try WebP.Animation(file, options: upright)
    for (frame, stored) in try zip(animation, WebP.Animation(file)) {
      expectSame(frame.image, stored.image.oriented(.right))
      #expect(frame.image.appliedOrientation == .right && stored.image.appliedOrientation == nil)
    }
    #expect(animation.canvasSize == .init(width: 3, height: 2) && animation.frames.count == 2)
    var rows = WebP.RowDecoder(options: upright)
    #expect((#expect(throws: WebP.DecodeError.self) { try rows.append(file) })?.kind == .invalidOptions)
  }

  @Test func initializersSetTheirProperties() {
    let crop = WebP.Rectangle(x: 1, y: 2, width: 3, height: 4)
    let limits = WebP.Limits(
      maximumPixels: 1, unrestrictedPixels: 2, maximumPixelsPerByte: 3, maximumBytes: 4, maximumFrames: 5,
      maximumAnimationPixels: 6, maximumMetadataBytes: 7)
    var options = WebP.DecodeOptions()
    options.format = .bgra
    options.upsampling = .nearest
    options.bypassesLoopFilter = true
    options.crop = crop
    options.size = .fit(width: 9)
    options.dithering = 10
    options.alphaSmoothing = 11
    options.flipsVertically = true
    options.isUpright = true
    options.background = 12
    options.threads = .one
    options.limits.maximumPixels = 1
    options.limits.unrestrictedPixels = 2
    options.limits.maximumPixelsPerByte = 3
    options.limits.maximumBytes = 4
    options.limits.maximumFrames = 5
    options.limits.maximumAnimationPixels = 6
    options.limits.maximumMetadataBytes = 7
    #expect(
      WebP.DecodeOptions(
        format: .bgra, upsampling: .nearest, bypassesLoopFilter: true, crop: crop, size: .fit(width: 9), dithering: 10,
        alphaSmoothing: 11, flipsVertically: true, isUpright: true, background: 12, threads: .one, limits: limits)
        == options)
    #expect(WebP.DecodeOptions() == WebP.DecodeOptions(threads: .automatic, limits: WebP.Limits()))
  }
}
