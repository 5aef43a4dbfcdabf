// TIFF 6.0, uncompressed, all rows in one strip:
//
//   0 ─ header ─ 8 ─ directory ─ 194 ─ bits per sample ─ 202 ─ resolution ─ 210 ─ R G B (A) …
//   0 ─ header ─ 8 ─ directory ─ 206 ─ bits per sample ─ 214 ─ resolution ─ 222 ─ ICC profile ─ R G B (A) …
//   0 ─ Exif block ─ directory ─ bits per sample ─ resolution ─ ICC profile ─ XMP ─ R G B (A) …
//
// Exif is a TIFF file without its image. A file with Exif begins with the block, in which only the offset of the first
// directory changes. Therefore all other offsets stay valid, also those in the notes of camera makers.
//
// Without alpha, the directory is one entry shorter. Twelve unused bytes follow its end, as in the files of libwebp's
// tools.

import PureWebP
internal import WebPExif

enum TIFFWriter {
  /// Writes the metadata with the image.
  ///
  /// - Returns: The reason why the profile was omitted. Nil if it was written, or if there is none.
  static func write(
    _ image: WebP.Image, metadata: WebP.Metadata, to sink: TypedSink
  ) throws(WebP.ExportError) -> WebP.DroppedProfile? {
    let isGray = image.format == .gray8
    let droppedProfile = WebP.DroppedProfile(inTIFF: metadata.icc, for: isGray ? .gray : .rgb)
    let hasAlpha = image.format.hasAlpha
    let rows = PixelRows(image, order: ChannelOrder(image.format))
    let pixelBytes = rows.bytesPerRow.multipliedReportingOverflow(by: image.height)
    guard let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height),
      !pixelBytes.overflow, let stripSize = UInt32(exactly: pixelBytes.partialValue)
    else { throw .tooLarge(.tiff) }
    let samples = rows.order.count

    var directory = TIFFDirectory(after: metadata.exifTags)
    directory.add(.imageWidth, side: width)
    directory.add(.imageLength, side: height)
    let bits = directory.store(shorts: [8, 8, 8, 8])
    directory.add(.bitsPerSample, .short, count: samples, isGray ? .number(8) : bits)
    directory.add(.compression, short: 1)  // none
    directory.add(.photometricInterpretation, short: isGray ? 1 : 2)  // black is zero, RGB
    // The default is 1. The tag would contradict an orientation that only XMP has.
    if metadata.orientation != nil || !metadata.hasXMPOrientation {
      directory.add(.orientation, short: (metadata.orientation ?? .up).rawValue)
    }
    directory.add(.samplesPerPixel, short: samples)
    directory.add(.rowsPerStrip, side: height)
    directory.add(.stripByteCounts, .long, count: 1, .number(stripSize))
    // The default is 72 pixels per inch.
    let resolution = directory.store(longs: [72, 1])
    if !directory.hasResolution {
      directory.add(.xResolution, .rational, count: 1, resolution)
      directory.add(.yResolution, .rational, count: 1, resolution)
      directory.add(.resolutionUnit, short: 2)  // inch
    }
    directory.add(.planarConfiguration, short: 1)  // the channels side by side
    if hasAlpha { directory.add(.extraSamples, short: 2) }  // alpha that is not premultiplied
    if droppedProfile == nil, let profile = metadata.icc { directory.add(.iccProfile, .undefined, profile) }
    if let xmp = metadata.xmp { directory.add(.xmp, .byte, xmp) }
    directory.add(.stripOffsets, .long, count: 1, directory.store([]))
    let header = directory.bytes(unused: hasAlpha ? [] : [1, 2, 0])
    guard Int64(header.count) + Int64(stripSize) <= Int64(UInt32.max) else { throw .tooLarge(.tiff) }
    try sink(header)
    try rows.write(to: sink)
    return droppedProfile
  }
}

/// The baseline tags of RGB images (TIFF 6.0, section 6), ExtraSamples (section 18), XMP (XMP specification, part 3,
/// section 3.3.2.2) and the ICC profile (ICC.1, annex B).
private enum Tag: Int {
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
  case xmp = 700
  case iccProfile = 34675
}

private enum FieldType: UInt16 {
  case byte = 1
  case short = 3
  case long = 4
  case rational = 5
  case undefined = 7
}

/// The start of a TIFF file, up to the pixels (section 2).
private struct TIFFDirectory {
  enum Value {
    case number(UInt32)
    /// The offset of a stored value, from the first stored value.
    case offset(Int)
  }

  /// Indicates whether Exif specifies the resolution.
  let hasResolution: Bool
  private let isLittleEndian: Bool
  /// The bytes that precede the directory.
  private var start: ContiguousArray<UInt8>
  /// The entries of 12 bytes. Offsets are added when the number of entries is known.
  private var entries: [(tag: Int, bytes: ContiguousArray<UInt8>, offset: Int?)] = []
  /// The values that are longer than four bytes.
  private var values = ContiguousArray<UInt8>()

  /// The tags of the first directory that describe how pixels are stored. They do not apply to the new pixels.
  private static let pixelTags = [
    254...266, 273...281, 284...284, 288...293, 301...301, 317...347, 512...532, 700...700,
  ]

  init(after exif: WebP.Exif?) {
    isLittleEndian = exif?.block.isLittleEndian ?? true
    hasResolution = exif?.resolution != nil
    start = exif.map { ContiguousArray($0.block.tiff) } ?? []
    if start.isEmpty { start = [0x49, 0x49, 42, 0, 8, 0, 0, 0] }  // II: little-endian
    while start.count < 8 || !start.count.isMultiple(of: 2) { start.append(0) }
    for (tag, bytes) in exif?.imageEntries ?? [] {
      let isResolution = [Tag.xResolution, .yResolution, .resolutionUnit].contains(Tag(rawValue: tag))
      let isOther = Self.pixelTags.contains { $0.contains(tag) } || tag == Tag.iccProfile.rawValue
      if isResolution ? hasResolution : !isOther { entries.append((tag, ContiguousArray(bytes), nil)) }
    }
  }

  // MARK: Values

  mutating func store(_ value: [UInt8]) -> Value {
    if !values.count.isMultiple(of: 2) { values.append(0) }  // offsets are even
    defer { values += value }
    return .offset(values.count)
  }

  mutating func store(shorts: [UInt16] = [], longs: [UInt32] = []) -> Value {
    let offset = Value.offset(values.count)
    values.append(shorts: shorts, longs: longs, isLittleEndian)
    return offset
  }

  // MARK: Entries

  mutating func add(_ tag: Tag, _ type: FieldType, count: Int, _ value: Value) {
    var bytes = ContiguousArray<UInt8>()
    bytes.append(shorts: [UInt16(tag.rawValue), type.rawValue], longs: [UInt32(clamping: count)], isLittleEndian)
    switch value {
    case .number(let number) where type == .short: bytes.append(shorts: [UInt16(number), 0], isLittleEndian)
    case .number(let number): bytes.append(longs: [number], isLittleEndian)
    case .offset(let offset): return entries.append((tag.rawValue, bytes, offset))
    }
    entries.append((tag.rawValue, bytes, nil))
  }

  /// Adds bytes. A value of at most four bytes is in its entry (section 2).
  mutating func add(_ tag: Tag, _ type: FieldType, _ bytes: [UInt8]) {
    guard bytes.count <= 4 else { return add(tag, type, count: bytes.count, store(bytes)) }
    guard !bytes.isEmpty else { return }
    var entry = ContiguousArray<UInt8>()
    entry.append(shorts: [UInt16(tag.rawValue), type.rawValue], longs: [UInt32(bytes.count)], isLittleEndian)
    entries.append((tag.rawValue, entry + bytes + repeatElement(0, count: 4 - bytes.count), nil))
  }

  mutating func add(_ tag: Tag, short value: Int) { add(tag, .short, count: 1, .number(UInt32(value))) }

  /// Adds a number of columns or rows, for which the standard allows two types (section 8). The type is short if the
  /// number fits, as in the files of libwebp's tools.
  mutating func add(_ tag: Tag, side: UInt32) {
    add(tag, side <= UInt16.max ? .short : .long, count: 1, .number(side))
  }

  // MARK: Bytes

  /// - Parameter unused: Numbers that follow the directory.
  func bytes(unused: [UInt32]) -> ContiguousArray<UInt8> {
    var output = start
    var first = ContiguousArray<UInt8>()
    first.append(longs: [UInt32(clamping: start.count)], isLittleEndian)
    output.replaceSubrange(4..<8, with: first)
    output.append(shorts: [UInt16(clamping: entries.count)], isLittleEndian)
    let valuesStart = start.count + 2 + 12 * entries.count + 4 + 4 * unused.count
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      output += entry.bytes
      if let offset = entry.offset { output.append(longs: [UInt32(clamping: valuesStart + offset)], isLittleEndian) }
    }
    output.append(longs: [0] + unused, isLittleEndian)  // no further directory
    return output + values
  }
}

extension ContiguousArray<UInt8> {
  fileprivate mutating func append(shorts: [UInt16] = [], longs: [UInt32] = [], _ isLittleEndian: Bool) {
    for number in shorts { appendLittleEndian(isLittleEndian ? number : number.byteSwapped) }
    for number in longs { appendLittleEndian(isLittleEndian ? number : number.byteSwapped) }
  }
}
