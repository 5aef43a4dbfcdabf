import ConformanceGenerator
import ConformanceSupport
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that errors state their cause, the limit, the value and the position.
/// Expected values: texts that are written in the tests.
@Suite struct DecodeErrorTests {
  private static let file = FileWriter.riff(FileWriter.chunk("VP8 ", FileWriter.vp8Frame(width: 5, height: 3)))

  private static func error(
    _ file: [UInt8], _ change: (inout WebP.DecodeOptions) -> Void = { _ in }
  ) -> WebP.DecodeError? {
    var options = WebP.DecodeOptions()
    change(&options)
    return #expect(throws: WebP.DecodeError.self) { try WebP.decode(file, options: options) }
  }

  @Test func exceededLimitsAreNamedWithTheirValue() throws {
    var error = Self.error(Self.file) { $0.limits.maximumPixels = 14 }
    #expect(error?.description == "image exceeds limits.maximumPixels (14)")
    #expect(error?.cause == .imageTooLarge && error?.limit == .maximumPixels)
    #expect(error?.detail(limitName: "--max-pixels") == "image exceeds --max-pixels (14)")
    error = Self.error(Self.file) { ($0.limits.unrestrictedPixels, $0.limits.maximumPixelsPerByte) = (10, 0) }
    #expect(error?.description == "image exceeds limits.maximumPixelsPerByte (0)")
    error = Self.error(Self.file) { $0.limits.maximumBytes = 20 }
    #expect(error?.description == "file exceeds limits.maximumBytes (20)")
    error = Self.error(Self.file) {
      $0.size = .exact(width: 10, height: 10)
      $0.limits.maximumPixels = 99
    }
    #expect(error?.description == "output exceeds limits.maximumPixels (99)")
    error = Self.error(Self.file) {
      $0.size = .exact(width: 30, height: 1)
      $0.limits.maximumPixels = 89
    }
    #expect(error?.description == "scaling exceeds limits.maximumPixels (89)")
  }

  /// Two limits are properties of the platform, and have no name.
  @Test func errorsOfAllLimitsNameThem() {
    let causes = (0...UInt8.max).compactMap(ErrorCause.init(rawValue:)).filter { $0.kind == .limitExceeded }
    let unnamed = causes.filter { !WebP.DecodeError($0).description.contains("limits.") }
    #expect(unnamed == [.fileExceedsPlatform, .canvasExceedsPlatform])
  }

  /// Returns an animation with a canvas of 60 pixels and frames of 20 pixels.
  private static func animation(frames count: Int) -> [UInt8] {
    var random = SplitMix64(seed: 12)
    let frames = (0..<count).map { _ in PlainFrame(picture: PixelGrid(width: 5, height: 4, using: &random)) }
    return FileWriter.animation(width: 10, height: 6, frames)
  }

  @Test func exceededLimitsOfAnimationsAreNamed() throws {
    func text(_ count: Int, _ change: (inout WebP.DecodeOptions) -> Void) -> String? {
      var options = WebP.DecodeOptions()
      change(&options)
      return decodeError {
        var frames = try WebP.Animation(Self.animation(frames: count), options: options).makeIterator()
        while try frames.nextFrame() != nil {}
      }?.description
    }
    #expect(text(3) { $0.limits = .init(maximumPixels: 60, maximumFrames: 3, maximumAnimationPixels: 60) } == nil)
    #expect(text(3) { $0.limits = .unlimited } == nil)
    #expect(text(3) { $0.limits.maximumPixels = 59 } == "image exceeds limits.maximumPixels (59)")
    #expect(text(3) { $0.limits.maximumFrames = 2 } == "animation exceeds limits.maximumFrames (2)")
    #expect(
      text(3) { $0.limits.maximumAnimationPixels = 59 } == "animation exceeds limits.maximumAnimationPixels (59)")
    func unbacked(_ options: inout WebP.DecodeOptions, _ pixels: Int) {
      (options.limits.unrestrictedPixels, options.limits.maximumPixelsPerByte) = (pixels, 0)
    }
    #expect(text(3) { unbacked(&$0, 59) } == "image exceeds limits.maximumPixelsPerByte (0)")
    // The frames have 7 · 20 pixels. The limit is twice the 60 unrestricted pixels.
    #expect(text(7) { unbacked(&$0, 60) } == "animation exceeds limits.maximumPixelsPerByte (0)")
    // The first canvas is not counted. The others have 3 · 60 pixels, and the limit is 2 · 60.
    #expect(
      text(4) {
        unbacked(&$0, 60)
        $0.format = .rgb
      } == "canvas conversion exceeds limits.maximumPixelsPerByte (0)")
    #expect(
      text(4) {
        $0.limits.maximumAnimationPixels = 179
        $0.format = .rgb
      } == "canvas conversion exceeds limits.maximumAnimationPixels (179)")
  }

  /// If a caller stores all frames, their pixels together may reach `maximumPixels`.
  @Test func framesInMemoryMayReachTheLimit() throws {
    let animation = try WebP.Animation(Self.animation(frames: 3))
    var limits = WebP.Limits(maximumPixels: 180)
    #expect(throws: Never.self) { try limits.check(allFramesOf: animation) }
    limits.maximumPixels = 179
    let error = #expect(throws: WebP.DecodeError.self) { try limits.check(allFramesOf: animation) }
    #expect(error?.description == "all frames together exceed limits.maximumPixels (179)")
  }

  @Test func errorsOfSmallBuffersNameTheNeededSize() throws {
    var pixels = [UInt8](repeating: 0, count: 59)
    let error = #expect(throws: WebP.DecodeError.self) { try WebP.decode(Self.file, into: &pixels) }
    #expect(error?.description == "invalid options: buffer is too small (60 bytes needed)")
    #expect(error?.cause == .bufferTooSmall)
  }

  @Test func errorsNameTheirPosition() throws {
    let file = FileWriter.riff(FileWriter.chunk("VP8X", [0, 1, 2]))
    #expect(Self.error(file)?.description == "corrupt: invalid chunk size (VP8X at byte 16)")
  }

  @Test func causesHaveTheKindOfTheirGroup() {
    let groups: [(WebP.ErrorKind, [ErrorCause])] = [
      (.notWebP, [.unknownFormat, .otherFormat]), (.truncated, [.emptyInput, .truncatedAlpha]),
      (.corrupt, [.invalidRIFFSize, .reservedAlphaBits]), (.unsupported, [.animation, .bareBitstream]),
      (.limitExceeded, [.imageTooLarge, .canvasExceedsPlatform]), (.invalidOptions, [.invalidCrop, .noSuchFrame]),
    ]
    for (kind, causes) in groups {
      for cause in causes { #expect(WebP.DecodeError(cause).kind == kind) }
    }
  }

  /// Lower case except for names of the format, no full stop, and no duplicates.
  @Test func textsFollowOneStyle() {
    let texts = (0...255).compactMap(ErrorCause.init(rawValue:)).map { "\($0.text)" }
    #expect(texts.count > 60 && Set(texts).count == texts.count)
    for text in texts {
      let first = text.prefix { $0 != " " }
      #expect(first == first.lowercased() || ["VP8X", "ANMF", "ALPH"].contains(first), "\(text)")
      #expect(text.last != ".")
    }
  }
}
