// TIFF 6.0, little-endian, uncompressed, all rows in one strip:
//
//   0 ─ header ─ 8 ─ directory of 14 or 15 entries ─ 194 ─ bits per sample ─ 202 ─ resolution ─ 210 ─ R G B (A) …
//
// The pixels start at byte 210 whether or not there is an entry for alpha. Without one, the twelve bytes of its place
// follow the directory's end, as libwebp's tools leave them there.

import PureWebP

enum TIFFWriter {
  static func write(_ image: WebP.Image, to sink: TypedSink) throws(WebP.ExportError) {
    let hasAlpha = image.format.hasAlpha
    let rows = try PixelRows(image, order: hasAlpha ? .rgba : .rgb, for: .tiff)
    let pixelBytes = rows.bytesPerRow.multipliedReportingOverflow(by: image.height)
    guard let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height),
      !pixelBytes.overflow, let stripSize = UInt32(exactly: pixelBytes.partialValue),
      stripSize <= .max - pixelsOffset
    else { throw .tooLarge(.tiff) }
    let samples = UInt16(rows.order.count)

    var header: ContiguousArray<UInt8> = [0x49, 0x49, 42, 0]  // II: little-endian
    header.appendLittleEndian(8 as UInt32)
    header.appendLittleEndian(hasAlpha ? 15 : 14 as UInt16)
    header.append(.imageWidth, side: width)
    header.append(.imageLength, side: height)
    header.append(.bitsPerSample, type: .short, count: UInt32(samples), value: bitsOffset)
    header.append(.compression, short: 1)  // none
    header.append(.photometricInterpretation, short: 2)  // RGB
    header.append(.stripOffsets, type: .long, count: 1, value: pixelsOffset)
    header.append(.orientation, short: 1)  // top left
    header.append(.samplesPerPixel, short: samples)
    header.append(.rowsPerStrip, side: height)
    header.append(.stripByteCounts, type: .long, count: 1, value: stripSize)
    header.append(.xResolution, type: .rational, count: 1, value: resolutionOffset)
    header.append(.yResolution, type: .rational, count: 1, value: resolutionOffset)
    header.append(.planarConfiguration, short: 1)  // the channels side by side
    header.append(.resolutionUnit, short: 2)  // inch
    if hasAlpha {
      header.append(.extraSamples, short: 2)  // alpha, not multiplied into the colours
      header.appendLittleEndian(0 as UInt32)  // no further directory
    } else {
      header.appendLittleEndian(0 as UInt32)
      for leftOver in [1, 2, 0] as [UInt32] { header.appendLittleEndian(leftOver) }
    }
    for _ in 0..<4 { header.appendLittleEndian(8 as UInt16) }
    header.appendLittleEndian(72 as UInt32)
    header.appendLittleEndian(1 as UInt32)
    try sink(header)
    try rows.write(to: sink)
  }

  private static let bitsOffset: UInt32 = 194
  private static let resolutionOffset: UInt32 = 202
  private static let pixelsOffset: UInt32 = 210
}

/// Baseline tags that RGB pictures have (TIFF 6.0, section 6), and ExtraSamples (section 18).
private enum Tag: UInt16 {
  case imageWidth = 256
  case imageLength = 257
  case bitsPerSample = 258
  case compression = 259
  case photometricInterpretation = 262
  case stripOffsets = 273
  case orientation = 274
  case samplesPerPixel = 277
  case rowsPerStrip = 278
  case stripByteCounts = 279
  case xResolution = 282
  case yResolution = 283
  case planarConfiguration = 284
  case resolutionUnit = 296
  case extraSamples = 338
}

private enum FieldType: UInt16 {
  case short = 3
  case long = 4
  case rational = 5
}

extension ContiguousArray<UInt8> {
  /// An entry of the directory (section 2).
  fileprivate mutating func append(_ tag: Tag, type: FieldType, count: UInt32, value: UInt32) {
    appendLittleEndian(tag.rawValue)
    appendLittleEndian(type.rawValue)
    appendLittleEndian(count)
    appendLittleEndian(value)
  }

  fileprivate mutating func append(_ tag: Tag, short value: UInt16) {
    append(tag, type: .short, count: 1, value: UInt32(value))
  }

  /// A number of columns or rows, which may be of either type (section 8): short where it fits, as libwebp's tools have it.
  fileprivate mutating func append(_ tag: Tag, side: UInt32) {
    append(tag, type: side <= UInt16.max ? .short : .long, count: 1, value: side)
  }
}
