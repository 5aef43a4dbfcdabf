internal import WebPFormat

/// The crop and the size of the output for an image and the caller's options.
struct OutputGeometry {
  /// The width of the image in the bitstream.
  let imageWidth: Int
  /// The part of the image that is output.
  let window: CropWindow
  /// The width of the output, in pixels.
  let width: Int
  /// The height of the output, in pixels.
  let height: Int
  /// The number of output pixels if the image's aspect ratio determines the size, else 0.
  let derivedPixels: Int
  /// Indicates whether the window is scaled, possibly to its own size.
  let isScaled: Bool
  /// Indicates whether the image is scaled down so much that the loop filter's effect would not be visible.
  let hidesLoopFilter: Bool

  /// - Parameters:
  ///   - width: the width of the image in the bitstream.
  ///   - height: the height of the image in the bitstream.
  ///   - isLossy: if true, the image is cropped at even coordinates.
  ///   - limit: the maximum of `derivedPixels`.
  /// - Throws: If the crop or the size is invalid for the image, or exceeds the limits of the options.
  init(
    _ options: WebP.DecodeOptions, width: Int, height: Int, isLossy: Bool, derivedPixels limit: Int = .max
  ) throws(WebP.DecodeError) {
    imageWidth = width
    window = try CropWindow(options.crop, width: width, height: height, isLossy: isLossy)
    guard let wanted = options.size else {
      (self.width, self.height) = (window.width, window.height)
      (derivedPixels, isScaled, hidesLoopFilter) = (0, false, false)
      return
    }
    guard let size = wanted.size(for: window.size) else {
      throw WebP.DecodeError(.invalidOutputSize)
    }
    let limits = options.limits
    guard size.width <= limits.maximumPixels / size.height else {
      throw WebP.DecodeError(.outputTooLarge, value: limits.maximumPixels)
    }
    derivedPixels = wanted.isBounded ? 0 : size.width * size.height
    guard derivedPixels <= limit else {
      throw WebP.DecodeError(.outputTooLargeForFile, value: limits.maximumPixelsPerByte)
    }
    // Each row of the image is scaled to the width of the output before the columns are scaled. The time can
    // therefore grow with the larger width times the larger height.
    let columns = max(size.width, window.width)
    guard columns <= limits.maximumPixels / max(size.height, window.height) else {
      throw WebP.DecodeError(.scalingTooLarge, value: limits.maximumPixels)
    }
    (self.width, self.height) = (size.width, size.height)
    isScaled = wanted.scalesToOwnSize || size != window.size
    hidesLoopFilter = isScaled && size.width < 3 * width / 4 && size.height < 3 * height / 4
  }

  /// The maximum number of output rows that one decoding step finishes on one thread.
  ///
  /// Without scaling, these are the 16 rows of a row of macroblocks, the eight rows that the loop filter had deferred,
  /// and the row that the upsampler had deferred.
  private var rowsPerStep: Int {
    isScaled ? Int((25 * Int64(height) + Int64(window.height) - 1) / Int64(window.height)) + 1 : 25
  }

  /// The layout of the output.
  ///
  /// - Parameters:
  ///   - stride: as in `WebP.Layout`.
  ///   - stripRows: the minimum height of the strips that reuse the memory. Nil if the memory has room for all rows.
  func layout(
    _ format: WebP.PixelFormat, stride: Int?, stripRows: Int? = nil
  ) throws(WebP.DecodeError) -> WebP.Layout {
    let rows = stripRows.map { min(height, $0 - 1 + rowsPerStep) } ?? height
    guard let layout = WebP.Layout(format: format, width: width, height: rows, stride: stride) else {
      throw WebP.DecodeError(stride == nil ? .outputExceedsPlatform : .invalidStride)
    }
    return layout
  }
}
