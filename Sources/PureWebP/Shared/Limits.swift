extension WebP {
  /// Limits on the memory and the work that a file may cause.
  ///
  /// The headers are checked against the limits before memory is allocated. A file that exceeds a limit is rejected
  /// with ``DecodeError/Kind/limitExceeded``. In `PureWebP`, the error names the limit and its value. The default
  /// limits suit files from unknown sources.
  ///
  /// A few bytes can encode an arbitrarily large image of one color. To bound the work, pixels beyond
  /// ``unrestrictedPixels`` must be backed by bytes of the file:
  ///
  /// | sum of the pixels of | allowed for any file | plus for each byte of the file |
  /// |---|---|---|
  /// | an image, or an animation's canvas | `unrestrictedPixels` | `maximumPixelsPerByte` |
  /// | all frames of an animation | 2 · `unrestrictedPixels` | 8 · `maximumPixelsPerByte` |
  /// | all canvases that are cropped, scaled, flipped or converted to another format | 2 · `unrestrictedPixels` | 128 · `maximumPixelsPerByte` |
  ///
  /// A frame counts with its own size, but a conversion processes the entire canvas. Frames are often much smaller than
  /// the canvas, so more pixels are allowed for canvases. In incremental decoding, results of `partialFrame()` that
  /// must be converted are counted separately, against the same limit as converted canvases. Beyond it,
  /// `partialFrame()` returns nil.
  ///
  /// `PureWebPCompact` does not convert canvases, and has no `partialFrame()`.
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
    /// The maximum size of a file. The default is 2³⁰. `PureWebPCompact` rejects larger files even if the limit allows
    /// them.
    ///
    /// If `Int` has 32 bits, less than 240 MiB are accepted: positions are counted in bits, which allows 256 MiB, and
    /// 16 MiB are reserved for positions beyond the end.
    public var maximumBytes: Int
    /// The maximum number of frames. The default is 2¹⁸: two hours at 36 frames per second.
    public var maximumFrames: Int
    /// The maximum number of pixels of all frames of an animation together. The default is 2³⁶, which is 18 minutes of
    /// 1080p at 30 frames per second, or the largest `Int` if that is less.
    ///
    /// In `PureWebP`, the same maximum applies separately to all canvases that are converted. If a canvas is enlarged,
    /// its output size counts.
    public var maximumAnimationPixels: Int
    /// The maximum size of all metadata chunks with their headers, plus 64 bytes for each unknown chunk. The default is
    /// 2²⁶. Metadata beyond it are omitted, without an error. In `PureWebPCompact`, which does not return metadata, the
    /// limit has no effect.
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

    /// No limits, except the limits of the format, of `Int`, and of scaling (2²⁴ pixels per side). `PureWebPCompact`
    /// does not scale, and accepts files of at most 2³⁰ bytes.
    public static var none: Limits {
      Limits(
        maximumPixels: .max, unrestrictedPixels: .max, maximumBytes: .max, maximumFrames: .max,
        maximumAnimationPixels: .max, maximumMetadataBytes: .max)
    }

    /// Checks the size of a file.
    ///
    /// - Parameters:
    ///   - count: the number of bytes that have arrived.
    ///   - more: the number of bytes that are about to be added.
    package func check(bytes count: Int, adding more: Int = 0) throws(DecodeError) {
      let (count, overflow) = count.addingReportingOverflow(more)
      guard !overflow, count <= maximumBytes else {
        throw WebP.DecodeError(.fileTooLarge, value: maximumBytes)
      }
      // Positions are counted in bits, and may lie beyond the end of the bitstream.
      guard count <= Int.max >> 3 - 1 << 24 else { throw WebP.DecodeError(.fileExceedsPlatform) }
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
  /// The maximum number of pixels of an image or a canvas if `count` bytes of the file are available.
  package func pixels(ofBytes count: Int) -> Int {
    min(maximumPixels, Self.sum(unrestrictedPixels, count, times: maximumPixelsPerByte))
  }

  /// The maximum number of pixels of all frames together if `count` bytes of the file are available.
  func animationPixels(ofBytes count: Int) -> Int {
    min(maximumAnimationPixels, pixelsOfFrames(ofBytes: count, times: 8))
  }

  func pixelsOfFrames(ofBytes count: Int, times factor: Int) -> Int {
    let (perByte, overflow) = maximumPixelsPerByte.multipliedReportingOverflow(by: factor)
    let (unrestricted, overflowToo) = unrestrictedPixels.multipliedReportingOverflow(by: 2)
    return Self.sum(overflowToo ? .max : unrestricted, count, times: overflow ? .max : perByte)
  }

  /// unrestricted + count · perByte, or `Int.max` if that overflows.
  private static func sum(_ unrestricted: Int, _ count: Int, times perByte: Int) -> Int {
    let (product, overflow) = count.multipliedReportingOverflow(by: max(0, perByte))
    let (sum, overflowToo) = product.addingReportingOverflow(unrestricted)
    return overflow || overflowToo ? .max : sum
  }
}
