extension WebP {
  /// How much a picture may ask for before it is refused with ``DecodeError/Kind/limitExceeded``.
  ///
  /// Limits are checked against what the headers claim, before memory is taken for it. Those of a new value suit
  /// pictures from anywhere.
  ///
  /// A few bytes can claim, and be, any number of pixels: one colour, say. So that nobody is kept busy for nothing, a
  /// picture of more than ``freePixels`` has to have bytes to show for the others, one for each ``pixelsPerByte``. For all
  /// frames of an animation together, each byte counts twice; for all canvases, where these have to be cropped, scaled,
  /// flipped or converted to another format, 128 times, as a frame of few bytes may change little of a large one, and as
  /// often for ``StreamingAnimation/partialFrame()``, which is nil beyond that:
  ///
  ///                  a picture         all frames       canvases converted
  ///     64 KiB   33 megapixels      50 megapixels         2164 megapixels
  ///      1 MiB             134                553                   34376      with the limits of a new value
  public struct Limits: Hashable, Sendable {
    /// Width · height at the most, of a picture and of an animation's canvas. 2²⁷ unless set, which is 512 MiB of RGBA.
    public var maximumPixels = 1 << 27
    /// As many pixels need no more bytes than it takes to say so. 2²⁴ unless set: 4096 × 4096, or a 5K screen.
    public var freePixels = 1 << 24
    /// How many pixels more each byte is good for. 256 unless set; photos have 2 to 40, drawings seldom 200.
    public var pixelsPerByte = 1 << 8
    /// Of a file. 2³⁰ unless set; more than 240 MiB are refused where an `Int` has 32 bits, which count bits.
    public var maximumBytes = 1 << 30
    /// Of an animation, or of what is opened as one. 2¹⁸ unless set: two hours at thirty-six frames a second.
    public var maximumFrames = 1 << 18
    /// The sum of width · height over all frames of an animation: what it takes to play it once. Also that over all
    /// canvases, if they have to be converted, or what they are scaled to, if that is larger. 2³⁶ unless set, or what
    /// fits an `Int`: eighteen minutes of 1080p at thirty frames a second.
    public var maximumTotalPixels = Int(clamping: 1 << 36 as Int64)
    /// The sum of the metadata chunks with their headers, in bytes, and of 64 more for each unknown chunk, which is what
    /// keeping it takes. 2²⁶ unless set. Metadata beyond that is left out; it is no error.
    public var maximumMetadataBytes = 1 << 26

    public init() {}

    /// No limits but those of the format, of an `Int`, and of what pictures are scaled to: 2²⁴ pixels to a side.
    public static var none: Limits {
      var limits = Limits()
      limits.maximumPixels = .max
      limits.freePixels = .max
      limits.maximumBytes = .max
      limits.maximumFrames = .max
      limits.maximumTotalPixels = .max
      limits.maximumMetadataBytes = .max
      return limits
    }
  }
}

extension WebP.Limits {
  /// How many pixels a picture, or a canvas, may have of which so many bytes are there.
  func pixels(ofBytes count: Int) -> Int { min(maximumPixels, proportionate(count, times: 1)) }

  /// How many pixels all frames of an animation may have together.
  func totalPixels(ofBytes count: Int) -> Int { min(maximumTotalPixels, proportionate(count, times: 2)) }

  /// How many pixels all canvases of an animation may have together that are converted.
  func convertedPixels(ofBytes count: Int) -> Int { proportionate(count, times: 128) }

  private func proportionate(_ count: Int, times factor: Int) -> Int {
    let (weight, overflow) = max(0, pixelsPerByte).multipliedReportingOverflow(by: factor)
    let (pixels, overflowToo) = count.multipliedReportingOverflow(by: weight)
    let (sum, overflowAtLast) = pixels.addingReportingOverflow(freePixels)
    return overflow || overflowToo || overflowAtLast ? .max : sum
  }

  /// - Parameters:
  ///   - count: of the bytes of a file.
  ///   - more: of those that are to follow them.
  package func check(bytes count: Int, adding more: Int = 0) throws(WebP.DecodeError) {
    let (count, overflow) = count.addingReportingOverflow(more)
    guard !overflow, count <= maximumBytes else {
      throw WebP.DecodeError(.limitExceeded, "more bytes than limits.maximumBytes")
    }
    // Places in a stream, and somewhat behind it, are counted in bits.
    guard count <= Int.max >> 3 - 1 << 24 else {
      throw WebP.DecodeError(.limitExceeded, "more bytes than can be counted")
    }
  }

  /// - Parameter animation: whose canvases are all to be written, however little of them changes.
  package func check(allCanvasesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    var allowance = CanvasAllowance(self, byteCount: animation.bytes.count)
    for _ in animation.frames { try allowance.countConversion(of: animation.width * animation.height) }
  }

  /// - Parameter animation: of which all frames are to be held at once, each as large as the canvas.
  package func check(allFramesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    let (pixels, overflow) = (Int64(animation.width) * Int64(animation.height)).multipliedReportingOverflow(
      by: Int64(animation.frameCount))
    guard !overflow, pixels <= maximumPixels else {
      throw WebP.DecodeError(.limitExceeded, "all frames together have more pixels than limits.maximumPixels")
    }
  }
}
