import PureWebP

/// The color channels of a file, in its order.
enum ChannelOrder {
  case gray, rgb, rgba, bgr, bgra

  /// The order for an image that is written from red to blue.
  init(_ format: WebP.PixelFormat) { self = format == .gray8 ? .gray : format.hasAlpha ? .rgba : .rgb }

  var count: Int {
    switch self {
    case .gray: 1
    case .rgb, .bgr: 3
    case .rgba, .bgra: 4
    }
  }
}

/// The rows of a packed image, with their channels in the order of a file format.
struct PixelRows {
  let image: WebP.Image
  let order: ChannelOrder
  /// For each channel of the file, its index in a pixel of the image. Nil for alpha if the image has none, so that it
  /// must be added.
  private let source: [Int?]
  /// Indicates whether the bytes of the image are written unchanged.
  let isUnchanged: Bool

  /// - Parameter image: a gray image, or an image with three or four bytes per pixel that is not premultiplied, as
  ///   `storable(in:)` returns.
  init(_ image: WebP.Image, order: ChannelOrder) {
    guard let rgba = image.format.storedChannels else { preconditionFailure("the pixels must be converted first") }
    switch order {
    case .gray: source = [rgba[0]]
    case .rgb: source = [rgba[0], rgba[1], rgba[2]]
    case .rgba: source = rgba
    case .bgr: source = [rgba[2], rgba[1], rgba[0]]
    case .bgra: source = [rgba[2], rgba[1], rgba[0], rgba[3]]
    }
    isUnchanged = source == Array(0..<image.format.bytesPerPixel)
    self.image = image
    self.order = order
  }

  var bytesPerRow: Int { image.width * order.count }

  /// Appends a row or a part of it.
  func append(row: Int, columns: Range<Int>? = nil, to output: inout ContiguousArray<UInt8>) {
    let plane = image.layout.planes[0]
    let columns = columns ?? 0..<image.width
    let step = image.format.bytesPerPixel
    let start = plane.offset + row * plane.stride + columns.lowerBound * step
    let end = start + columns.count * step
    let input = image.pixels.span.extracting(start..<end)
    let first = output.count
    if isUnchanged {
      output.append(contentsOf: image.pixels[start..<end])
      return
    }

    let channels = source.count
    output.append(contentsOf: repeatElement(255, count: columns.count * channels))
    var pixels = output.mutableSpan
    for (channel, offset) in source.enumerated() {
      guard let offset else { continue }
      var to = first + channel
      for from in stride(from: offset, to: input.count, by: step) {
        pixels[to] = input[from]
        to &+= channels
      }
    }
  }

  /// Writes all rows in large batches, from top to bottom or from bottom to top.
  func write(bottomUp: Bool = false, padding: Int = 0, to sink: TypedSink) throws(WebP.ExportError) {
    if isUnchanged && !bottomUp && padding == 0 {
      try sink(image.pixels)
      return
    }
    try writeRows(image.height, of: bytesPerRow + padding, to: sink) { index, batch in
      append(row: bottomUp ? image.height - 1 - index : index, to: &batch)
      batch.append(zeros: padding)
    }
  }
}

extension WebP.PixelFormat {
  /// The indices of R, G, B and A in a pixel. Nil if the writers of files do not read the format, so that the image is
  /// converted first.
  fileprivate var storedChannels: [Int?]? {
    guard let channels, !isPremultiplied else { return nil }
    return [channels.red, channels.green, channels.blue, channels.alpha]
  }
}

extension WebP.Image {
  /// The image in a pixel format that the writer of a file format accepts: the image itself, or the result of
  /// `converted(to:)`.
  ///
  /// - Throws: `cancelled`.
  func storable(in file: WebP.FileFormat, isCancelled: () -> Bool) throws(WebP.ExportError) -> Self {
    guard let image = converted(to: storableFormat(in: file), isCancelled: isCancelled) else { throw .cancelled }
    return image
  }

  private func storableFormat(in file: WebP.FileFormat) -> WebP.PixelFormat {
    let isPlain = format.storedChannels != nil
    return switch file {
    case .png, .pam, .ppm, .bmp, .tiff:
      isPlain ? format : format == .luma ? .gray8 : format.hasAlpha ? .rgba : .rgb
    case .pgm where format == .gray8: format
    case .pgm, .yuv: format.isPlanar ? format : format.hasAlpha ? .yuva : .yuv
    case .alphaPGM: isPlain && format.hasAlpha || format == .yuva ? format : .rgba
    }
  }
}
