// The chunks of a PNG (PNG specification, third edition, sections 5.3 and 11):
//
//   length, 4 bytes │ type, 4 bytes │ payload │ checksum of type and payload, 4 bytes

import PureWebP
internal import WebPExif

extension ContiguousArray<UInt8> {
  static var pngSignature: Self { [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] }

  mutating func append(chunk type: StaticString, _ payload: ContiguousArray<UInt8>) {
    appendBigEndian(UInt32(payload.count))
    let start = count
    append(contentsOf: type.description.utf8)
    append(contentsOf: payload)
    appendBigEndian(crc32(span.extracting(start..<count)))
  }

  /// Appends IHDR, the ICC profile, PLTE and tRNS of a palette, the resolution of Exif, Exif and XMP.
  mutating func append(header: WebP.PNGHeader, metadata: WebP.Metadata) throws(WebP.ExportError) {
    var ihdr = Self()
    ihdr.appendBigEndian(UInt32(header.width))
    ihdr.appendBigEndian(UInt32(header.height))
    // compression method, filter method, no interlacing
    ihdr.append(contentsOf: [UInt8(header.bitDepth), header.colorType.code, 0, 0, 0])
    append(chunk: "IHDR", ihdr)

    if let icc = metadata.icc, WebP.DroppedProfile(icc, for: header.colorType) == nil { try append(profile: icc) }
    if case .palette(let colors) = header.colorType {
      append(chunk: "PLTE", Self(colors.flatMap { [$0.red, $0.green, $0.blue] }))
      // Colors after the end of tRNS are opaque.
      if let last = colors.lastIndex(where: { $0.alpha != 255 }) {
        append(chunk: "tRNS", Self(colors[...last].map(\.alpha)))
      }
    }
    if let resolution = metadata.exifTags?.resolution { append(resolution) }
    append(text: metadata)
  }

  /// pHYs: the numbers of pixels per meter, or of an unknown unit. The numbers are integers, so that a ratio has at
  /// most three decimals.
  private mutating func append(_ resolution: WebP.Exif.Resolution) {
    var payload = Self()
    let numbers = [resolution.horizontal, resolution.vertical]
    let isWhole = numbers.allSatisfy { $0 == $0.rounded() }
    let scale = resolution.isPerInch ? 1 / 0.0254 : isWhole ? 1 : 1000
    for number in numbers {
      payload.appendBigEndian(UInt32(Swift.min((number * scale).rounded(), Double(Int32.max))))
    }
    append(chunk: "pHYs", payload + [resolution.isPerInch ? 1 : 0])
  }

  /// Appends Exif and XMP, which may precede or follow the pixels.
  mutating func append(text metadata: WebP.Metadata) {
    for kind in WebP.Metadata.Kind.allCases {
      switch kind {
      case .icc: break  // precedes the palette
      case .exif: if let exif = metadata.exifWithoutPrefix { append(chunk: "eXIf", Self(exif)) }
      case .xmp: if let xmp = metadata.xmp { append(xmp: xmp) }
      }
    }
  }

  /// iCCP: a name, compression method 0, the profile compressed.
  private mutating func append(profile: [UInt8]) throws(WebP.ExportError) {
    let profile = ContiguousArray(profile)
    // Level 9 hardly reduces the size of profiles, and can take three seconds for a megabyte of crafted data.
    var payload = try Self.payload(ofProfile: profile.span, .level(6))
    // libpng refuses a chunk whose compressed bytes end within its first 92 bytes.
    if payload.count < 92 { payload = try Self.payload(ofProfile: profile.span, .level(0)) }
    append(chunk: "iCCP", payload)
  }

  private static func payload(
    ofProfile profile: Span<UInt8>, _ effort: DeflateEffort
  ) throws(WebP.ExportError) -> Self {
    var payload = Self("ICC Profile\0\0".utf8) + [0x78, 0x9C]
    try deflate(profile, isLast: true, effort, onto: &payload)
    payload.appendBigEndian(adler32(profile))
    return payload
  }

  /// iTXt with the keyword of XMP (part 3, section 1.1.5), not compressed, without a language.
  private mutating func append(xmp: [UInt8]) {
    append(chunk: "iTXt", Self("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp)
  }
}
