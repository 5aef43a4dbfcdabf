internal import WebPFormat

extension WebP {
  /// Limits on the memory and the work that a file may cause.
  ///
  /// The headers are checked against the limits before memory is allocated. A file that exceeds a limit is rejected
  /// with ``ErrorKind/limitExceeded``. The error names the limit and its value. The default limits suit files
  /// from unknown sources.
  ///
  /// A few bytes can encode an arbitrarily large image of one color. To bound the work, pixels beyond
  /// ``unrestrictedPixels`` must be backed by bytes of the file:
  ///
  /// | sum of the pixels of | allowed for any file | plus for each byte of the file |
  /// |---|---|---|
  /// | an image, or an animation's canvas | `unrestrictedPixels` | `maximumPixelsPerByte` |
  /// | all frames of an animation | 2 · `unrestrictedPixels` | 8 · `maximumPixelsPerByte` |
  /// | all canvases with a crop, size, flip or format | 2 · `unrestrictedPixels` | 128 · `maximumPixelsPerByte` |
  ///
  /// A frame counts with its own size, but a conversion processes the entire canvas. Frames are often much smaller than
  /// the canvas, so more pixels are allowed for canvases. In incremental decoding, results of `partialFrame()` that
  /// must be converted are counted separately, against the same limit as converted canvases. Beyond it,
  /// `partialFrame()` returns nil.
  ///
  /// With the default limits, if ``unrestrictedPixels`` is 2²⁶, in megapixels:
  ///
  /// | file size | image | all frames | converted canvases |
  /// |---|---|---|---|
  /// | 1 KiB | 67 | 136 | 168 |
  /// | 64 KiB | 84 | 268 | 2282 |
  /// | 1 MiB | 134 | 2282 | 34494 |
  public struct Limits: Hashable, Sendable {
    /// The maximum of width · height, of an image and of an animation's canvas. The default is 2²⁷: 512 MiB of RGBA.
    public var maximumPixels: Int
    /// The number of pixels that need not be backed by bytes of the file. The default is 2²⁶, or 2²⁴ on watchOS and on
    /// platforms with a 32-bit `Int`.
    public var unrestrictedPixels: Int
    /// The number of pixels beyond ``unrestrictedPixels`` that each byte of the file allows. The default is 256. Photos
    /// have 2 to 40 pixels per byte, drawings rarely more than 200.
    public var maximumPixelsPerByte: Int
    /// The maximum size of a file. The default is 2³⁰.
    ///
    /// If `Int` has 32 bits, less than 240 MiB are accepted: positions are counted in bits, which allows 256 MiB, and
    /// 16 MiB are reserved for positions beyond the end.
    public var maximumBytes: Int
    /// The maximum number of frames. The default is 2¹⁸: two hours at 36 frames per second.
    public var maximumFrames: Int
    /// The maximum number of pixels of all frames of an animation together. The default is 2³⁶, which is 18 minutes of
    /// 1080p at 30 frames per second, or the largest `Int` if that is less.
    ///
    /// The same maximum applies separately to all canvases that are converted. If a canvas is enlarged, its output size
    /// counts.
    public var maximumAnimationPixels: Int
    /// The maximum size of all metadata chunks with their headers, plus 64 bytes for each unknown chunk. The default is
    /// 2²⁶. Metadata beyond it are omitted, without an error.
    public var maximumMetadataBytes: Int

    /// Creates limits. Limits that are not passed have their default values.
    public init(
      maximumPixels: Int = 1 << 27, unrestrictedPixels: Int = Self.defaultUnrestrictedPixels,
      maximumPixelsPerByte: Int = 1 << 8, maximumBytes: Int = 1 << 30, maximumFrames: Int = 1 << 18,
      maximumAnimationPixels: Int = Int(clamping: 1 << 36 as Int64), maximumMetadataBytes: Int = 1 << 26
    ) {
      self.maximumPixels = maximumPixels
      self.unrestrictedPixels = unrestrictedPixels
      self.maximumPixelsPerByte = maximumPixelsPerByte
      self.maximumBytes = maximumBytes
      self.maximumFrames = maximumFrames
      self.maximumAnimationPixels = maximumAnimationPixels
      self.maximumMetadataBytes = maximumMetadataBytes
    }

    /// No limits, except the limits of the format, of `Int`, and of scaling (2²⁴ pixels per side).
    public static var unlimited: Limits { Limits(all: .max) }

    /// Sets every limit to one value. The compiler rejects an initializer that forgets a property.
    private init(all value: Int) {
      maximumPixels = value
      unrestrictedPixels = value
      maximumPixelsPerByte = value
      maximumBytes = value
      maximumFrames = value
      maximumAnimationPixels = value
      maximumMetadataBytes = value
    }

    #if os(watchOS)
      @usableFromInline static var defaultUnrestrictedPixels: Int { 1 << 24 }
    #else
      // 2²⁶, or 2²⁴ if `Int` has 32 bits. The shift is computed from `Int.bitWidth`. A condition `Int.bitWidth == 32`
      // would be constant, so with coverage enabled the compiler would warn about unreachable code.
      @usableFromInline static var defaultUnrestrictedPixels: Int { 1 << min(26, Int.bitWidth - 8) }
    #endif
  }
}

extension WebP.Limits {
  var plain: FormatLimits {
    FormatLimits(
      maximumPixels: maximumPixels, unrestrictedPixels: unrestrictedPixels, maximumPixelsPerByte: maximumPixelsPerByte,
      maximumBytes: maximumBytes, maximumFrames: maximumFrames, maximumAnimationPixels: maximumAnimationPixels)
  }

  /// Checks the size of a file.
  ///
  /// - Parameters:
  ///   - count: the number of bytes that have arrived.
  ///   - more: the number of bytes that are about to be added.
  @usableFromInline
  package func check(bytes count: Int, adding more: Int = 0) throws(WebP.DecodeError) {
    try WebP.DecodeError.converting(try plain.check(bytes: count, adding: more))
  }

  /// The maximum number of pixels of an image or a canvas if `count` bytes of the file are available.
  package func pixels(ofBytes count: Int) -> Int { plain.pixels(ofBytes: count) }

  /// Checks that the limits allow the conversion of all canvases of an animation to its output format. Only the headers
  /// are needed.
  package func check(allCanvasesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    var budget = ConversionBudget(limits: plain, byteCount: animation.bytes.count)
    let (width, height) = (animation.canvasSize.width, animation.canvasSize.height)
    let output = try OutputGeometry(
      animation.canvasOptions, width: width, height: height, isLossy: false, derivedPixels: budget.derivedPixels)
    for _ in animation.frames {
      try budget.countConversion(of: max(width * height, output.width * output.height))
    }
  }

  /// Checks that the limits allow all composed frames, each of the canvas's size, to be in memory at the same time.
  package func check(allFramesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    let canvas = animation.canvasSize
    let (pixels, overflow) = (Int64(canvas.width) * Int64(canvas.height)).multipliedReportingOverflow(
      by: Int64(animation.frameCount))
    guard !overflow, pixels <= maximumPixels else {
      throw WebP.DecodeError(.framesTooLarge, value: maximumPixels)
    }
  }
}
