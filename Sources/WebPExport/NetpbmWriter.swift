// The uncompressed Netpbm formats: a header in ASCII, then the samples (netpbm.sourceforge.net/doc: pam, ppm, pgm).

import PureWebP

enum NetpbmWriter {
  /// RGBA. Always four channels.
  static func pam(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    let size = "WIDTH \(image.width)\nHEIGHT \(image.height)\n"
    try sink(.init("P7\n\(size)DEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n".utf8))
    try PixelRows(image, order: .rgba).write(to: sink)
  }

  /// RGB. Alpha is omitted.
  static func ppm(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    try sink(.init("P6\n\(image.width) \(image.height)\n255\n".utf8))
    try PixelRows(image, order: .rgb).write(to: sink)
  }

  /// The planes as one gray image, in the IMC4 layout:
  ///
  ///     Y Y Y Y Y 0     rows of odd width are padded with a zero
  ///     Y Y Y Y Y 0
  ///     U U U V V V     a row of U, and beside it a row of V
  ///     A A A A A 0     if the image has alpha
  ///     A A A A A 0
  ///
  /// Luma alone and gray are written without padding.
  static func pgm(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    let planes = image.layout.planes
    let padding = planes.count > 1 ? image.width & 1 : 0
    let height = image.height + (planes.count > 1 ? planes[1].rows : 0) + (planes.count > 3 ? image.height : 0)
    try sink(.init("P5\n\(image.width + padding) \(height)\n255\n".utf8))

    try image.write(planes[0], padding: padding, to: sink)
    guard planes.count > 1 else { return }
    try writeRows(planes[1].rows, of: planes[1].rowBytes + planes[2].rowBytes, to: sink) { row, batch in
      batch.append(contentsOf: image.pixels[planes[1].range(ofRow: row)])
      batch.append(contentsOf: image.pixels[planes[2].range(ofRow: row)])
    }
    if planes.count > 3 { try image.write(planes[3], padding: padding, to: sink) }
  }

  /// Alpha only, of an image in ``WebP/PixelFormat/yuva`` or in a format of four bytes per pixel that is not
  /// premultiplied.
  static func alpha(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    try sink(.init("P5\n\(image.width) \(image.height)\n255\n".utf8))
    if image.format == .yuva { return try image.write(image.layout.planes[3], to: sink) }
    let plane = image.layout.planes[0]
    guard let first = image.format.alphaOffset else { preconditionFailure("the pixels must be converted first") }
    try writeRows(plane.rows, of: image.width, to: sink) { row, batch in
      let range = plane.range(ofRow: row)
      for index in stride(from: range.lowerBound + first, to: range.upperBound, by: 4) {
        batch.append(image.pixels[index])
      }
    }
  }
}
