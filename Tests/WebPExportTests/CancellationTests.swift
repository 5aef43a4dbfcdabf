import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that writing ends with an error when its task is canceled, at the next frame or batch of rows.
/// Expected values: the number of frames and parts that are written before the cancellation.
@Suite struct CancellationTests {
  /// Runs `body` in a task that is canceled when `body` calls its argument.
  private func cancelled<Result: Sendable>(
    _ body: @escaping @Sendable (_ cancel: () -> Void) throws -> Result
  ) async throws -> Result {
    try await Task {
      try body { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
    }.value
  }

  @Test func animationsEndAtTheNextFrame() async throws {
    let file = try [UInt8](TestFile.vector("animation-random-7.webp"))
    let frameCount = try WebP.Animation(file).frameCount
    #expect(frameCount > 3)
    let written = try await cancelled { cancel in
      var frames = 0
      #expect(throws: CancellationError.self) {
        try WebP.Animation(file).write(progress: { index in
          frames += 1
          if index == 1 { cancel() }
        }) { _ in }
      }
      return frames
    }
    // The first frame is written. Progress is reported for the second one, but it is not written.
    #expect(written == 2)
  }

  /// Within a frame too, at the next part of the file or at the next 16 rows that are converted.
  @Test func framesEndAtTheNextPart() throws {
    let file = try [UInt8](TestFile.vector("animation-random-7.webp"))
    for format in [WebP.PixelFormat.rgba, .yuva] {
      for limit in [3, 8] {
        var (checks, parts) = (0, 0)
        let writer = AnimationWriter(
          try WebP.Animation(file, options: .init(format: format)), metadata: .init(), png: .init(),
          isCancelled: {
            checks += 1
            return checks == limit
          })
        #expect(throws: CancellationError.self) {
          while try writer.writeFrame(to: { _ in parts += 1 }) == nil {}
        }
        #expect(checks == limit && parts < limit)
      }
    }
  }

  @Test(arguments: WebP.FileFormat.allCases) func imagesEndAtTheNextBatch(format: WebP.FileFormat) async throws {
    // The image is larger than one batch of every writer.
    let pixelFormat: WebP.PixelFormat = [.pgm, .yuv].contains(format) ? .yuva : .bgra
    let layout = try #require(WebP.Layout(format: pixelFormat, width: 1000, height: 1000))
    let image = try #require(
      WebP.Image(
        width: 1000, height: 1000, format: pixelFormat,
        pixels: repeatElement(7, count: layout.byteCount)))
    let pieces = try await cancelled { cancel in
      var pieces = 0
      let png = WebP.PNGOptions(compression: .level(0), reducesColors: false, threads: .one)
      let error = #expect(throws: WebP.ExportError.self) {
        try image.write(as: format, png: png) { _ in
          pieces += 1
          cancel()
        }
      }
      #expect(error?.description == "cancelled")
      return pieces
    }
    #expect(pieces == 1)
  }

  /// A step of the conversion is at most 16 rows.
  @Test(arguments: [WebP.PixelFormat.yuva, .luma, .rgba4444]) func conversionsEndWithTheirTask(
    pixelFormat: WebP.PixelFormat
  ) throws {
    let layout = try #require(WebP.Layout(format: pixelFormat, width: 10, height: 100))
    let image = try #require(
      WebP.Image(width: 10, height: 100, format: pixelFormat, pixels: repeatElement(7, count: layout.byteCount)))
    var checks = 0
    #expect(throws: WebP.ExportError.self) {
      _ = try image.storable(in: .bmp) {
        checks += 1
        return checks == 3
      }
    }
    #expect(checks == 3)
    checks = 0
    let stored = try image.storable(in: .bmp) {
      checks += 1
      return false
    }
    #expect(checks == 7)
    expectSame(stored, image.converted(to: stored.format))
  }

  /// The sink of an untyped function throws the error of a canceled task.
  @Test func cancellationsOfSinksAreThrown() throws {
    let bytes = try [UInt8](TestFile.vector("encoder-cwebp-q75.webp"))
    #expect(throws: CancellationError.self) { try WebP.writePNG(of: bytes) { _ in throw CancellationError() } }
    #expect(throws: CancellationError.self) { try WebP.Animation(bytes).write { _ in throw CancellationError() } }
    #expect(throws: WebP.ExportError.self) {
      try WebP.decode(bytes).write { _ in throw CancellationError() }
    }
  }

  /// Encoding in the background has the same result. It ends if its task is canceled.
  @Test func encodingInTheBackgroundEndsWithItsTask() async throws {
    let bytes = try [UInt8](TestFile.vector("animation-random-7.webp"))
    let animation = try WebP.Animation(bytes)
    let image = try WebP.decode(bytes)
    try await expectSame(image.encodedInBackground(), image.encoded())
    try await expectSame(image.encodedInBackground(as: .bmp), image.encoded(as: .bmp))
    try await expectSame(animation.encodedInBackground().bytes, animation.encoded().bytes)
    await #expect(throws: CancellationError.self) {
      try await Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return try await image.encodedInBackground()
      }.value
    }
    await #expect(throws: CancellationError.self) {
      try await Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return try await animation.encodedInBackground().bytes
      }.value
    }
    // Compressing 64 MiB takes much longer than the cancellation.
    let pixels = repeatElement(7 as UInt8, count: 4 << 24)
    let large = try #require(WebP.Image(width: 1 << 12, height: 1 << 12, format: .rgba, pixels: pixels))
    let encoding = Task {
      try await large.encodedInBackground(png: .init(compression: .level(9), reducesColors: false))
    }
    try await Task.sleep(nanoseconds: 1_000_000)
    encoding.cancel()
    await #expect(throws: CancellationError.self) { try await encoding.value }
  }

  @Test func canceledConversionsThrow() async throws {
    let bytes = try [UInt8](TestFile.vector("encoder-cwebp-q75.webp"))
    try await cancelled { cancel in
      cancel()
      #expect(throws: CancellationError.self) { try WebP.writePNG(of: bytes) { _ in Issue.record("a part of a PNG") } }
      #expect(throws: CancellationError.self) {
        try WebP.Animation(bytes).write { _ in Issue.record("a part of a PNG") }
      }
      #expect(throws: WebP.ExportError.self) { try WebP.decode(bytes).encoded() }
    }
  }

  /// One property of all errors determines how a program reacts.
  @Test func errorsHaveAKind() throws {
    struct Full: Error {}
    let bytes = try [UInt8](TestFile.vector("encoder-cwebp-q75.webp"))
    func kind(_ body: () throws -> Void) -> WebP.ErrorKind? {
      do { try body() } catch { return (error as? any WebP.Failure)?.kind }
      return nil
    }
    #expect(kind { _ = try WebP.decode(bytes.dropLast(99)) } == .truncated)
    #expect(kind { _ = try WebP.PNGConverter().append([1, 2, 3] + [UInt8](repeating: 0, count: 99)) } == .notWebP)
    #expect(kind { try WebP.decode(bytes).write { _ in throw Full() } } == .output)
    #expect(kind { try WebP.decode(bytes).write { _ in throw CancellationError() } } == .cancelled)
    #expect(kind { _ = try WebP.PNGWriter(.init(width: 0, height: 1, colorType: .rgb)) } == .invalidOptions)
    #expect(WebP.ErrorKind(CancellationError()) == .cancelled && WebP.ErrorKind(Full()) == nil)
  }
}
