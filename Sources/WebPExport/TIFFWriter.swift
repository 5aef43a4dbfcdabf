// TIFF 6.0, little-endian, uncompressed, all rows in one strip:
//
//   0 ─ header ─ 8 ─ directory ─ 194 ─ bits per sample ─ 202 ─ resolution ─ 210 ─ R G B (A) …
//   0 ─ header ─ 8 ─ directory ─ 206 ─ bits per sample ─ 214 ─ resolution ─ 222 ─ ICC profile ─ R G B (A) …
//
// Without alpha, the directory is one entry shorter. Twelve unused bytes follow its end, as in the files of libwebp's
// tools.

import PureWebP

enum TIFFWriter {
  /// Writes the ICC profile and the orientation of the metadata with the image.
  ///
  /// - Returns: The reason why the profile was omitted. Nil if it was written, or if there is none.
  static func write(
    _ image: WebP.Image, metadata: WebP.Metadata, to sink: TypedSink
  ) throws(WebP.ExportError) -> WebP.DroppedProfile? {
    let isGray = image.format == .gray8
    let droppedProfile = WebP.DroppedProfile(metadata.icc, for: isGray ? .gray : .rgb)
    let profile = droppedProfile == nil ? metadata.icc : nil
    let hasAlpha = image.format.hasAlpha
    let rows = PixelRows(image, order: ChannelOrder(image.format))
    let pixelBytes = rows.bytesPerRow.multipliedReportingOverflow(by: image.height)
    // The offsets of the fields after the directory. TIFF requires even offsets.
    let bitsOffset: UInt32 = profile == nil ? 194 : 206
    let resolutionOffset = bitsOffset + 8
    let profileOffset = resolutionOffset + 8
    let profileSize = UInt32(clamping: profile?.count ?? 0)
    let pixelsOffset = Int64(profileOffset) + Int64(profileSize) + Int64(profileSize & 1)
    guard let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height),
      !pixelBytes.overflow, let stripSize = UInt32(exactly: pixelBytes.partialValue),
      pixelsOffset + Int64(stripSize) <= Int64(UInt32.max)
    else { throw .tooLarge(.tiff) }
    let samples = UInt16(rows.order.count)

    var header: ContiguousArray<UInt8> = [0x49, 0x49, 42, 0]  // II: little-endian
    header.appendLittleEndian(8 as UInt32)
    header.appendLittleEndian(14 + (hasAlpha ? 1 : 0) + (profile == nil ? 0 : 1) as UInt16)
    header.append(.imageWidth, side: width)
    header.append(.imageLength, side: height)
    header.append(.bitsPerSample, type: .short, count: UInt32(samples), value: isGray ? 8 : bitsOffset)
    header.append(.compression, short: 1)  // none
    header.append(.photometricInterpretation, short: isGray ? 1 : 2)  // black is zero, RGB
    header.append(.stripOffsets, type: .long, count: 1, value: UInt32(pixelsOffset))
    header.append(.orientation, short: UInt16((metadata.orientation ?? .up).rawValue))
    header.append(.samplesPerPixel, short: samples)
    header.append(.rowsPerStrip, side: height)
    header.append(.stripByteCounts, type: .long, count: 1, value: stripSize)
    header.append(.xResolution, type: .rational, count: 1, value: resolutionOffset)
    header.append(.yResolution, type: .rational, count: 1, value: resolutionOffset)
    header.append(.planarConfiguration, short: 1)  // the channels side by side
    header.append(.resolutionUnit, short: 2)  // inch
    if hasAlpha { header.append(.extraSamples, short: 2) }  // alpha that is not premultiplied
    if profile != nil { header.append(.iccProfile, type: .undefined, count: profileSize, value: profileOffset) }
    header.appendLittleEndian(0 as UInt32)  // no further directory
    if !hasAlpha {
      for leftOver in [1, 2, 0] as [UInt32] { header.appendLittleEndian(leftOver) }
    }
    for _ in 0..<4 { header.appendLittleEndian(8 as UInt16) }
    header.appendLittleEndian(72 as UInt32)
    header.appendLittleEndian(1 as UInt32)
    header += profile ?? []
    if !profileSize.isMultiple(of: 2) { header.append(0) }
    try sink(header)
    try rows.write(to: sink)
    return droppedProfile
  }
}

/// The baseline tags of RGB images (TIFF 6.0, section 6), ExtraSamples (section 18) and the ICC profile (ICC.1, annex
/// B).
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
  case iccProfile = 34675
}

private enum FieldType: UInt16 {
  case short = 3
  case long = 4
  case rational = 5
  case undefined = 7
}

extension ContiguousArray<UInt8> {
  /// Appends an entry of the directory (section 2).
  fileprivate mutating func append(_ tag: Tag, type: FieldType, count: UInt32, value: UInt32) {
    appendLittleEndian(tag.rawValue)
    appendLittleEndian(type.rawValue)
    appendLittleEndian(count)
    appendLittleEndian(value)
  }

  fileprivate mutating func append(_ tag: Tag, short value: UInt16) {
    append(tag, type: .short, count: 1, value: UInt32(value))
  }

  /// Appends a number of columns or rows, for which the standard allows two types (section 8). The type is short if the
  /// number fits, as in the files of libwebp's tools.
  fileprivate mutating func append(_ tag: Tag, side: UInt32) {
    append(tag, type: side <= UInt16.max ? .short : .long, count: 1, value: side)
  }
}
