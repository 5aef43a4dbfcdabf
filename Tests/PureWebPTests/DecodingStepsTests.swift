import ConformanceGenerator
import ConformanceSupport
import Dispatch
import TestComparison
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that each step of decoding in the background is short, and that cancellation ends decoding after one step.
/// Expected values: numbers of steps that follow from the pixels of the file, and the result of decoding in one call.
@Suite struct DecodingStepsTests {
  private static let (width, height, pixelsPerStep) = (200, 640, 200 * 64)

  enum Kind: CaseIterable { case lossy, smoothedAlpha, lossless, animation, blendedAnimation }

  private static func file(_ kind: Kind) throws -> [UInt8] {
    var random = SplitMix64(seed: 61)
    switch kind {
    case .lossy:
      return FileWriter.riff(
        FileWriter.vp8X(flags: 0x08, width: width, height: height), FileWriter.chunk("VP8 ", lossy),
        FileWriter.chunk("EXIF", Exif.turnedRight))
    case .smoothedAlpha:
      // The encoder has reduced the levels of alpha to 0, 64, 128 and 192. Alpha is neither compressed nor filtered.
      let alpha = (0..<width * height).map { _ in UInt8.random(in: 0...3, using: &random) << 6 }
      return FileWriter.riff(
        FileWriter.vp8X(flags: 0x18, width: width, height: height), FileWriter.chunk("ALPH", [0x10] + alpha),
        FileWriter.chunk("VP8 ", lossy), FileWriter.chunk("EXIF", Exif.turnedRight))
    case .lossless:
      let grid = PixelGrid(width: width, height: height, using: &random)
      return FileWriter.riff(
        FileWriter.vp8X(flags: 0x18, width: width, height: height), FileWriter.chunk("VP8L", FileWriter.vp8L(grid)),
        FileWriter.chunk("EXIF", Exif.turnedRight))
    case .animation, .blendedAnimation:
      var frame = PlainFrame(picture: PixelGrid(width: width, height: height, using: &random))
      frame.isBlended = kind == .blendedAnimation
      return FileWriter.riff(
        FileWriter.vp8X(flags: 0x1A, width: width, height: height), FileWriter.anim(), FileWriter.anmf(frame),
        FileWriter.chunk("EXIF", Exif.turnedRight))
    }
  }

  /// A frame whose macroblocks have all modes and no coefficients.
  private static let lossy = FileWriter.vp8Frame(width: width, height: height, partition: 4000, tokens: 4000)

  /// The result of all steps, and their number.
  private static func image(
    _ file: [UInt8], _ options: WebP.DecodeOptions
  ) throws -> (image: WebP.Image, steps: Int) {
    var decoding = StepwiseDecoding(
      bytes: ContiguousArray(file), options: options, pixelsPerStep: pixelsPerStep)
    var steps = 1
    while true {
      if let image = try decoding.step().get() { return (image, steps) }
      steps += 1
    }
  }

  @Test(arguments: Kind.allCases, [WebP.Threads.one, .atMost(3)]) func stepsCountPixelsOfTheFile(
    kind: Kind, threads: WebP.Threads
  ) throws {
    let file = try Self.file(kind)
    let crop = WebP.Rectangle(x: 20, y: Self.height - 12, width: 50, height: 10)
    for (size, crop) in [
      (nil, nil), (WebP.OutputSize.fit(width: 4, height: 4), nil), (nil, crop), (.exact(width: 9, height: 2), crop),
    ] {
      for format in [WebP.PixelFormat.rgba, .bgr, .yuva] {
        let options = WebP.DecodeOptions(
          format: format, crop: crop, size: size, alphaSmoothing: kind == .smoothedAlpha ? 100 : 0, threads: threads)
        let expected = try WebP.decode(file, options: options)
        let (image, steps) = try Self.image(file, options)
        expectSame(image, expected)
        // The decoder works in batches of 16 rows, and stages of several threads may be some batches ahead.
        // Smoothed alpha is decoded in steps of its own before them.
        let alphaSteps = kind == .smoothedAlpha ? Self.width * Self.height / Self.pixelsPerStep - 1 : 0
        #expect(steps >= Self.width * Self.height / Self.pixelsPerStep / 2 + alphaSteps)
        var uprightOptions = options
        uprightOptions.isUpright = true
        let upright = try Self.image(file, uprightOptions)
        try expectSame(upright.image, WebP.decode(file, options: uprightOptions))
        #expect(upright.image.appliedOrientation != nil)
        #expect(upright.steps >= steps)
      }
    }
  }

  @Test(arguments: [Kind.lossy, .smoothedAlpha, .lossless]) func streamsPauseByPixelsOfTheFile(kind: Kind) throws {
    let file = try Self.file(kind)
    let crop = WebP.Rectangle(x: 20, y: Self.height - 12, width: 50, height: 10)
    for (size, crop) in [(nil, nil), (WebP.OutputSize.fit(width: 4, height: 4), nil), (nil, crop)] {
      let options = WebP.DecodeOptions(crop: crop, size: size, alphaSmoothing: 100, threads: .one)
      var decoder = WebP.StreamingDecoder(options: options)
      var isPaused = try decoder.append(file, pixelLimit: Self.pixelsPerStep)
      var steps = 1
      while isPaused {
        isPaused = try decoder.resume(pixelLimit: Self.pixelsPerStep)
        steps += 1
      }
      try expectSame(decoder.image, WebP.decode(file, options: options))
      #expect(steps >= Self.width * Self.height / Self.pixelsPerStep / 2)
    }
  }

  /// An error of smoothed alpha ends the first row, and other errors end their row, also if decoding pauses before it.
  @Test(
    arguments: [
      "encoder-cwebp-q75.webp", "encoder-cwebp-alpha-best.webp", "encoder-cwebp-lossless-z6-alpha.webp",
      "options-smooth-61x45.webp",
    ], [WebP.Threads.one, .init(count: 3, batchPixels: 1 << 10)])
  func rowsBeforeAnErrorAreFinishedInSteps(name: String, threads: WebP.Threads) throws {
    let file = try Array(Conformance.vector(name))
    for count in [file.count / 2, file.count * 3 / 4, file.count - 9] {
      for bytes in [file.prefix(count), file.prefix(count) + [UInt8](repeating: 0x55, count: file.count - count)] {
        var whole = WebP.StreamingDecoder(options: .init(alphaSmoothing: 100, threads: .one))
        let expected = Result {
          _ = try whole.append(bytes)
          _ = try whole.finish()
        }
        var paused = WebP.StreamingDecoder(options: .init(alphaSmoothing: 100, threads: threads))
        let found = Result {
          _ = try paused.append(bytes, pixelLimit: 1)
          while try paused.resume(isComplete: true, pixelLimit: 1) {}
        }
        #expect(whole.finishedRows == paused.finishedRows)
        expectSame(whole.image, paused.image, name)
        if case .failure(let error) = expected { #expect("\(found)".contains("\(error)")) }
      }
    }
  }

  @Test func largeImagesAreNotClearedInOneStep() throws {
    let file = try Self.file(.lossless)
    let session = StillSession(
      try ImageHeaderParser(forDecoding: ContiguousArray(file).span), ContiguousArray(file), options: .init())
    try session.decodeRows(isComplete: true, pixelLimit: 1000)
    #expect(session.pixels.count == 4000 && session.isPaused && session.image == nil)
  }

  @Test func noStepFollowsTheCancellation() async throws {
    // The third step cancels the task that waits for it.
    let (steps, continuation) = AsyncStream.makeStream(of: DispatchSemaphore.self)
    let decoding = Task {
      try await WebP.lastOutput(of: 0) { (count: inout Int) in
        count += 1
        guard count == 3 else {
          #expect(count < 3)
          return count < 3 ? .success(nil) : .failure(.init(.missingImage))
        }
        let isCancelled = DispatchSemaphore(value: 0)
        continuation.yield(isCancelled)
        isCancelled.wait()
        return .success(nil)
      }
    }
    for await isCancelled in steps {
      decoding.cancel()
      isCancelled.signal()
      break
    }
    await #expect(throws: CancellationError.self) { try await decoding.value }
  }
}
