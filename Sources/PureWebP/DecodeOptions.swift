internal import WebPFormat

extension WebP {
  /// The output format, the geometry, the quality and the limits of decoding.
  public struct DecodeOptions: Hashable, Sendable {
    /// The upsampling of chroma, which has one sample for 2 × 2 pixels of a lossy image.
    @nonexhaustive
    public enum Upsampling: Hashable, Sendable {
      /// Weights the four nearest samples 9 : 3 : 3 : 1. Smooth.
      case fancy
      /// Repeats the nearest sample. Faster, with visible steps at edges between colors.
      case nearest
    }

    /// The format of the pixels.
    public var format: PixelFormat
    /// The upsampling of chroma. It has no effect on scaled images, whose chroma is scaled too.
    public var upsampling: Upsampling
    /// Indicates whether to skip the loop filter of lossy images (RFC 6386, section 15). Faster, with visible blocks.
    public var bypassesLoopFilter: Bool
    /// The part of the image to decode; nil decodes the complete image. In a lossy image, the left and upper edges of
    /// the crop are rounded down to even coordinates. The size of the crop does not change.
    public var crop: Rectangle?
    /// The size to scale to, after cropping; nil does not scale.
    public var size: OutputSize?
    /// The strength of the chroma dithering that hides banding, from 0 (off) to 100. Values outside the range are
    /// clamped. Frames of animations are not dithered, as in libwebp.
    public var dithering: Int
    /// The strength of the smoothing that hides banding in alpha that the encoder has quantized, from 0 (off) to 100.
    /// Values outside the range are clamped. The alpha of animation frames is not smoothed.
    public var alphaSmoothing: Int
    /// Indicates whether to flip the image upside down.
    public var flipsVertically: Bool
    /// Indicates whether to rotate and mirror the image as the orientation in Exif specifies. ``size`` is then the size
    /// of the rotated image. ``crop`` and ``flipsVertically`` refer to the stored image. The image has an
    /// ``Image/appliedOrientation``.
    ///
    /// Exif usually follows the pixels. Therefore ``StreamingDecoder`` and `updates(from:options:)` deliver stored rows
    /// and then the rotated image. ``RowDecoder`` rejects this option. Frames of an animation that arrives
    /// incrementally are delivered as they are stored.
    public var isUpright: Bool
    /// The color with which pixels that are not opaque are blended, for formats without alpha. Its own alpha has no
    /// effect. The output is opaque. Nil does not blend: formats without alpha then omit it. Each color c with alpha a
    /// becomes (c · a + background · (255 − a)) / 255, rounded. Not available in planar formats.
    public var background: Color?
    /// The number of threads that may work on the image. It does not change the pixels.
    public var threads: Threads
    /// The limits that are checked before memory is allocated.
    public var limits: Limits

    /// Creates options.
    ///
    /// ```swift
    /// let small = try WebP.decode(bytes, options: .init(format: .bgra, size: .fit(width: 320, height: 320)))
    /// ```
    public init(
      format: PixelFormat = .rgba, upsampling: Upsampling = .fancy, bypassesLoopFilter: Bool = false,
      crop: Rectangle? = nil, size: OutputSize? = nil, dithering: Int = 0, alphaSmoothing: Int = 0,
      flipsVertically: Bool = false, isUpright: Bool = false, background: Color? = nil,
      threads: Threads = .automatic, limits: Limits = Limits()
    ) {
      self.format = format
      self.upsampling = upsampling
      self.bypassesLoopFilter = bypassesLoopFilter
      self.crop = crop
      self.size = size
      self.dithering = dithering
      self.alphaSmoothing = alphaSmoothing
      self.flipsVertically = flipsVertically
      self.isUpright = isUpright
      self.background = background
      self.threads = threads
      self.limits = limits
    }
  }
}

extension WebP.DecodeOptions {
  /// The size of the image that decoding a file with these options produces, after its rotation if it
  /// ``isUpright``.
  ///
  /// - Parameter info: the headers of the file, from `WebP.info(_:)`.
  /// - Throws: If the image, the crop or the size exceeds `limits`, or if the crop or the size is invalid for this
  ///   file.
  public func outputSize(for info: WebP.ImageInfo) throws(WebP.DecodeError) -> WebP.Size {
    try outputSize(
      of: WebP.Size(width: info.width, height: info.height), isLossy: info.compression == .lossy, info.orientation)
  }

  /// The size of the image that decoding a file produces, of which only the beginning is available.
  ///
  /// - Parameter info: the properties of the file, from `WebP.info(prefix:)` or a stream. As long as the orientation is
  ///   not known, the result is the size of the stored image.
  /// - Throws: If the file, the image, the crop or the size exceeds `limits`, or if the crop or the size is invalid for
  ///   this file.
  public func outputSize(for info: WebP.PrefixInfo) throws(WebP.DecodeError) -> WebP.Size {
    if let byteCount = info.byteCount {
      try limits.check(bytes: Int(clamping: byteCount))
      // An area that exceeds `Int` exceeds `maximumPixels` too.
      let (area, overflow) = info.width.multipliedReportingOverflow(by: info.height)
      guard overflow || area > limits.maximumPixels || area <= limits.pixels(ofBytes: Int(clamping: byteCount)) else {
        throw WebP.DecodeError(.imageTooLargeForFile, value: limits.maximumPixelsPerByte)
      }
    }
    return try outputSize(
      of: WebP.Size(width: info.width, height: info.height), isLossy: info.compression == .lossy,
      info.orientation ?? .up)
  }

  private func outputSize(
    of image: WebP.Size, isLossy: Bool, _ orientation: WebP.Orientation
  ) throws(WebP.DecodeError) -> WebP.Size {
    guard image.width <= limits.maximumPixels / image.height else {
      throw WebP.DecodeError(.imageTooLarge, value: limits.maximumPixels)
    }
    let applied = isUpright ? orientation : .up
    let options = beforeOrienting(applied)
    // The crop of an animation may begin at odd coordinates, as in a lossless image.
    let geometry = try OutputGeometry(options, width: image.width, height: image.height, isLossy: isLossy)
    return WebP.Size(width: geometry.width, height: geometry.height).oriented(applied)
  }

  /// The layout of the pixels that decoding a file with these options produces.
  ///
  /// Its `byteCount` is the size of the memory that `decode(_:into:stride:options:)` needs.
  ///
  /// - Parameters:
  ///   - info: the headers of the file, from `WebP.info(_:)`.
  ///   - stride: the distance between rows in bytes, as in ``WebP/Layout``; nil: rows without gaps.
  /// - Throws: If the crop, the size or the stride is invalid for this file, or exceeds `limits`.
  public func layout(for info: WebP.ImageInfo, stride: Int? = nil) throws(WebP.DecodeError) -> WebP.Layout {
    try layout(of: outputSize(for: info), stride)
  }

  /// The layout of the pixels that decoding a file produces, of which only the beginning is available.
  ///
  /// - Parameters:
  ///   - info: as in ``outputSize(for:)-(WebP.PrefixInfo)``.
  ///   - stride: the distance between rows in bytes, as in ``WebP/Layout``; nil: rows without gaps.
  /// - Throws: If the crop, the size or the stride is invalid for this file, or exceeds `limits`.
  public func layout(for info: WebP.PrefixInfo, stride: Int? = nil) throws(WebP.DecodeError) -> WebP.Layout {
    try layout(of: outputSize(for: info), stride)
  }

  private func layout(of size: WebP.Size, _ stride: Int?) throws(WebP.DecodeError) -> WebP.Layout {
    guard let layout = WebP.Layout(format: format, width: size.width, height: size.height, stride: stride) else {
      throw WebP.DecodeError(stride == nil ? .outputExceedsPlatform : .invalidStride)
    }
    return layout
  }
}

extension WebP.DecodeOptions {
  /// The orientation that decoding a complete file applies.
  func orientation(of bytes: Span<UInt8>) -> WebP.Orientation {
    isUpright ? WebP.metadata(bytes, limits: limits).orientation ?? .up : .up
  }

  /// The options for the stored image, so that the result has the ``size`` after it has been oriented.
  package func beforeOrienting(_ orientation: WebP.Orientation) -> Self {
    var options = self
    options.isUpright = false
    if orientation.swapsWidthAndHeight { options.size = size?.transposed }
    return options
  }
}
