// Windows bitmaps: BITMAPFILEHEADER, then BITMAPINFOHEADER (opaque) or BITMAPV3INFOHEADER (with alpha), then the rows
// from bottom to top, each padded to a multiple of four bytes. All numbers are little-endian.
//
//   opaque       0 ─ file header ─ 14 ─ info header, 40 bytes ─ 54 ─ B G R B G R …
//   with alpha   0 ─ file header ─ 14 ─ info header, 56 bytes ─ 70 ─ B G R A B G R A …
//   gray         0 ─ file header ─ 14 ─ info header, 40 bytes ─ 54 ─ 256 colors ─ 1078 ─ an index for each pixel

import PureWebP

enum BMPWriter {
  static func write(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    let hasAlpha = image.format.hasAlpha
    let isGray = image.format == .gray8
    let rows = PixelRows(image, order: isGray ? .gray : hasAlpha ? .bgra : .bgr)
    let padding = -rows.bytesPerRow & 3
    let headerSize = hasAlpha ? 70 : isGray ? 1078 : 54
    let pixelBytes = (rows.bytesPerRow + padding).multipliedReportingOverflow(by: image.height)
    guard !pixelBytes.overflow, let fileSize = UInt32(exactly: pixelBytes.partialValue + headerSize) else {
      throw .tooLarge(.bmp)
    }

    var header = ContiguousArray<UInt8>("BM".utf8)
    header.appendLittleEndian(fileSize)
    header.appendLittleEndian(0 as UInt32)  // reserved
    header.appendLittleEndian(UInt32(headerSize))

    header.appendLittleEndian(hasAlpha ? 56 : 40 as UInt32)
    header.appendLittleEndian(UInt32(image.width))
    header.appendLittleEndian(UInt32(image.height))  // positive: bottom row first
    header.appendLittleEndian(1 as UInt16)  // planes
    header.appendLittleEndian(UInt16(rows.order.count * 8))
    header.appendLittleEndian(hasAlpha ? 3 : 0 as UInt32)  // BI_BITFIELDS, BI_RGB
    header.appendLittleEndian(UInt32(pixelBytes.partialValue))
    header.appendLittleEndian(2400 as UInt32)  // pixels per meter, horizontally and vertically
    header.appendLittleEndian(2400 as UInt32)
    header.appendLittleEndian(0 as UInt32)  // colors in the palette, important colors
    header.appendLittleEndian(0 as UInt32)
    if hasAlpha {
      for mask in [0x00FF_0000, 0x0000_FF00, 0x0000_00FF, 0xFF00_0000] as [UInt32] { header.appendLittleEndian(mask) }
    }
    if isGray {
      for gray in 0...255 as ClosedRange<UInt32> { header.appendLittleEndian(gray * 0x01_0101) }
    }
    try sink(header)
    try rows.write(bottomUp: true, padding: padding, to: sink)
  }
}
