// The upsampling of chroma, fused with the conversion to RGB. U and V have one sample for each 2 × 2 pixels (RFC 6386,
// section 5). Like libwebp, the decoder interpolates: the four samples around a pixel have the weights 9, 3, 3 and 1,
// from the nearest to the farthest. Outside of the image, the outermost samples are repeated.
//
// There are two kernels, in the folders SIMD and Scalar. The checks here ensure that their memory accesses are in
// bounds.
//
// Unsafe code: Preconditions check the rows of luma and chroma. Rows of alpha and pixels are from `CheckedRows`,
// with the sixteen bytes of slack that are read.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

extension YUVRows {
  /// Writes a row as R G B A. Traps unless the rows that it depends on are in memory and the output is in bounds.
  ///
  /// - Parameters:
  ///   - row: the index of the row in the image.
  ///   - height: the height of the image, in pixels.
  ///   - alpha: the alpha of the row, readable for 16 bytes beyond its end.
  @inline(never)
  borrowing func upsample(
    _ row: Int, height: Int, alpha: Span<UInt8>, at alphaStart: Int, into pixels: inout MutableSpan<UInt8>,
    at outputStart: Int, width: Int
  ) {
    let (y, u, v) = (planes[0], planes[1], planes[2])
    let line = row &- firstRow
    let near = row / 2
    let far = row & 1 == 1 ? min(near &+ 1, (height &- 1) / 2) : max(near &- 1, 0)
    let (nearLine, farLine) = (near &- firstRow / 2, far &- firstRow / 2)
    precondition(line &+ y.linesAbove >= 0 && line < 16 && width <= columns &* 16)
    precondition(min(nearLine, farLine) &+ u.linesAbove >= 0 && max(nearLine, farLine) < 8)
    let alpha = unsafe alpha.row(at: alphaStart, count: width &+ 16)
    let output = unsafe pixels.mutableRow(at: outputStart, count: width &* 4)
    unsafe samples.withUnsafeBytes { samples in
      let samples = unsafe samples.baseAddress.unsafelyUnwrapped
      unsafe upsampleRow(
        luma: samples + (y.start &+ line &* y.stride), alpha: alpha,
        u: (near: samples + (u.start &+ nearLine &* u.stride), far: samples + (u.start &+ farLine &* u.stride)),
        v: (near: samples + (v.start &+ nearLine &* v.stride), far: samples + (v.start &+ farLine &* v.stride)),
        to: output, width: width)
    }
  }
}

/// The two rows of chroma above and below a row of luma: the nearer one and the farther one.
typealias ChromaRows = (near: UnsafeRawPointer, far: UnsafeRawPointer)
