internal import WebPFormat

extension WebP.Image {
  /// The image in another format.
  ///
  /// ```swift
  /// let image = try WebP.decode(bytes, options: .init(format: .yuva))
  /// let packed = image.converted(to: .bgraPremultiplied)
  /// ```
  ///
  /// The pixels equal the result of decoding the same image to `format`:
  ///
  /// | conversion | rule |
  /// |---|---|
  /// | planes to colors | chroma is upsampled as in ``WebP/DecodeOptions/Upsampling/fancy``; Y alone is gray |
  /// | gray to colors | R = G = B; the rules of ``WebP/PixelFormat/gray8`` for the reverse |
  /// | colors to planes | luma is ⌊(16839 R + 33059 G + 6420 B + 2¹⁵) / 2¹⁶⌋ + 16; chroma is the mean of 2 × 2 pixels |
  /// | colors to 4, 5 or 6 bits | the upper bits |
  /// | 4, 5 or 6 bits to 8 bits | the upper bits are repeated in the lower bits |
  /// | multiplying by alpha | ⌊c · a / 255⌋, or the rule of ``WebP/PixelFormat/rgba4444Premultiplied`` |
  /// | dividing by alpha | ⌈255 · c / a⌉, at most 255, and 0 if a is 0. Multiplying again restores c |
  /// | no alpha to alpha | 255 |
  /// | alpha to no alpha | colors stay as they are; alpha is omitted |
  ///
  /// The image itself is returned if it has the format. Otherwise the time is proportional to the number of pixels, and
  /// the memory is the result and some rows.
  public func converted(to format: WebP.PixelFormat) -> Self {
    converted(to: format, isCancelled: { false }) ?? self
  }

  /// The image in another format. Nil if the conversion was cancelled.
  ///
  /// - Parameter isCancelled: Is called for every 16 rows.
  package func converted(to format: WebP.PixelFormat, isCancelled: () -> Bool) -> Self? {
    format == self.format ? self : converted(WebP.DecodeOptions(format: format), isCancelled)
  }

  /// The image without transparency: each pixel is blended with a color.
  ///
  /// ```swift
  /// let opaque = try WebP.decode(bytes).flattened(on: 0xFFFFFF)
  /// ```
  ///
  /// The rule is ``WebP/DecodeOptions/background``, which saves the second pass over the pixels. The time is
  /// proportional to the number of pixels.
  ///
  /// - Parameter color: The color under the pixels. Its alpha has no effect.
  /// - Returns: An image in ``WebP/PixelFormat/rgb``. The image itself if its format has no alpha.
  public func flattened(on color: WebP.Color) -> Self {
    format.hasAlpha ? converted(WebP.DecodeOptions(format: .rgb, background: color), { false }) ?? self : self
  }

  private func converted(_ options: WebP.DecodeOptions, _ isCancelled: () -> Bool) -> Self? {
    do throws(WebP.DecodeError) { return try written(with: options, isCancelled) } catch {
      preconditionFailure("the size of an image is valid in every format")
    }
  }

  /// The image as a decoder with these options writes it. Nil if it is cancelled.
  func written(with options: WebP.DecodeOptions, _ isCancelled: () -> Bool) throws(WebP.DecodeError) -> Self? {
    let geometry = try OutputGeometry(options, width: width, height: height, isLossy: self.format.isPlanar)
    var output = try OutputWriter(geometry, options: options, stride: nil)
    var pixels = ContiguousArray<UInt8>(uninitializedCount: output.layout.byteCount)
    var memory = pixels.mutableSpan
    let isWritten =
      if self.format.isPlanar { writePlanes(to: &output, &memory, isCancelled) } else {
        writeColors(to: &output, &memory, isCancelled)
      }
    guard isWritten else { return nil }
    var image = Self(
      width: output.width, height: output.height, format: options.format, pixels: pixels, layout: output.layout)
    image.appliedOrientation = appliedOrientation
    return image
  }

  private func writeColors(
    to output: inout OutputWriter, _ memory: inout MutableSpan<UInt8>, _ isCancelled: () -> Bool
  ) -> Bool {
    var rgba = ContiguousArray<UInt8>(filledWith: 0, count: 4 * width)
    for row in 0..<height {
      if row % 16 == 0, isCancelled() { return false }
      let source = pixels.span.extracting(row * stride..<row * stride + layout.planes[0].rowBytes)
      var target = rgba.mutableSpan
      unpackRow(source, format: format, into: &target)
      output.write(rgba: rgba.span, stride: rgba.count, rows: row..<row + 1, into: &memory)
    }
    return true
  }

  private func writePlanes(
    to output: inout OutputWriter, _ memory: inout MutableSpan<UInt8>, _ isCancelled: () -> Bool
  ) -> Bool {
    var batch = YUVRows(columns: (width + 15) / 16, rowsAbove: 0)
    (batch.lumaStart, batch.chromaStart) = (YUVRows.gap, YUVRows.gap)
    if layout.planes.count == 1 {
      batch.u = ContiguousArray(filledWith: 128, count: batch.u.count)
      batch.v = batch.u
    }
    var alpha = ContiguousArray<UInt8>(filledWith: 255, count: format.hasAlpha ? 16 * width + YUVRows.slack : 0)
    for top in Swift.stride(from: 0, to: height, by: 16) {
      if isCancelled() { return false }
      batch.rows = top..<min(top + 16, height)
      for (index, plane) in layout.planes.enumerated() {
        let shift = WebP.Layout.subsamplingShift(ofPlane: index)
        let first = top >> shift
        for row in first..<min(first + 16 >> shift, plane.rows) {
          let (source, line) = (plane.offset + row * plane.stride, row - first)
          let chroma = batch.chromaStart + line * batch.chromaStride
          switch index {
          case 0:
            let luma = batch.lumaStart + line * batch.lumaStride
            batch.luma.copy(plane.rowBytes, from: pixels.span, at: source, to: luma)
          case 1: batch.u.copy(plane.rowBytes, from: pixels.span, at: source, to: chroma)
          case 2: batch.v.copy(plane.rowBytes, from: pixels.span, at: source, to: chroma)
          default: alpha.copy(plane.rowBytes, from: pixels.span, at: source, to: line * width)
          }
        }
      }
      output.write(batch, alpha: alpha.span, into: &memory)
    }
    return true
  }
}

/// Writes a row of a packed format as R G B A that is not premultiplied.
private func unpackRow(_ source: Span<UInt8>, format: WebP.PixelFormat, into rgba: inout MutableSpan<UInt8>) {
  if let channels = format.channels {
    return unpack(source, channels, format.bytesPerPixel, isPremultiplied: format.isPremultiplied, into: &rgba)
  }
  switch format {
  case .rgb565:
    unpack16(source, into: &rgba) { high, low in
      let (red, green, blue) = (high >> 3, (high & 7) << 3 | low >> 5, low & 31)
      return (red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2, 255)
    }
  case .rgba4444:
    unpack16(source, into: &rgba) { high, low in
      ((high >> 4) &* 17, (high & 15) &* 17, (low >> 4) &* 17, (low & 15) &* 17)
    }
  case .rgba4444Premultiplied:
    unpack16(source, into: &rgba) { high, low in
      let alpha = (low & 15) &* 17
      return (
        dividedByAlpha((high >> 4) &* 17, alpha), dividedByAlpha((high & 15) &* 17, alpha),
        dividedByAlpha((low >> 4) &* 17, alpha), alpha
      )
    }
  case .rgba, .bgra, .argb, .rgb, .bgr, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied, .gray8, .luma, .yuv,
    .yuva:
    preconditionFailure("the format has a byte for each channel, or planes")
  }
}

/// - Parameter size: The bytes of a pixel.
private func unpack(
  _ source: Span<UInt8>, _ channels: WebP.PixelFormat.Channels, _ size: Int, isPremultiplied: Bool,
  into rgba: inout MutableSpan<UInt8>
) {
  for pixel in 0..<rgba.count / 4 {
    let start = pixel * size
    let alpha = channels.alpha.map { source[start + $0] } ?? 255
    var (red, green, blue) =
      (source[start + channels.red], source[start + channels.green], source[start + channels.blue])
    if isPremultiplied && alpha != 255 {
      (red, green, blue) = (dividedByAlpha(red, alpha), dividedByAlpha(green, alpha), dividedByAlpha(blue, alpha))
    }
    rgba[4 * pixel] = red
    rgba[4 * pixel + 1] = green
    rgba[4 * pixel + 2] = blue
    rgba[4 * pixel + 3] = alpha
  }
}

/// - Parameter channels: Returns R, G, B and A of two bytes.
private func unpack16(
  _ source: Span<UInt8>, into rgba: inout MutableSpan<UInt8>,
  _ channels: (_ high: UInt8, _ low: UInt8) -> (UInt8, UInt8, UInt8, UInt8)
) {
  for pixel in 0..<rgba.count / 4 {
    let (red, green, blue, alpha) = channels(source[2 * pixel], source[2 * pixel + 1])
    rgba[4 * pixel] = red
    rgba[4 * pixel + 1] = green
    rgba[4 * pixel + 2] = blue
    rgba[4 * pixel + 3] = alpha
  }
}

/// ⌈255 · color / alpha⌉, at most 255. Because it is rounded up, ⌊result · alpha / 255⌋ is the color again.
private func dividedByAlpha(_ color: UInt8, _ alpha: UInt8) -> UInt8 {
  if alpha == 0 { return 0 }
  let (color, alpha) = (UInt32(color), UInt32(alpha))
  return UInt8(min(255, (255 * color + alpha - 1) / alpha))
}
