import PureWebP
import WebPExif

extension WebP.Exif {
  private static let commonTags: [(number: Int, directory: Directory, name: String)] = [
    (0x010E, .image, "ImageDescription"), (0x010F, .image, "Make"), (0x0110, .image, "Model"),
    (0xA434, .exif, "LensModel"), (0x829A, .exif, "ExposureTime"), (0x829D, .exif, "FNumber"),
    (0x8827, .exif, "ISOSpeedRatings"), (0x920A, .exif, "FocalLength"), (0x9003, .exif, "DateTimeOriginal"),
    (0x9011, .exif, "OffsetTimeOriginal"), (0x0132, .image, "DateTime"), (0x9010, .exif, "OffsetTime"),
    (0x0112, .image, "Orientation"), (0x011A, .image, "XResolution"), (0x011B, .image, "YResolution"),
    (0x0128, .image, "ResolutionUnit"), (0x0131, .image, "Software"), (0x013B, .image, "Artist"),
    (0x4746, .image, "Rating"),
  ]

  /// The common tags with their names in Exif and their values as text. The location is in degrees and meters.
  var described: [(name: String, value: String)] {
    var tags = Self.commonTags.compactMap { tag in
      value(of: tag.number, in: tag.directory)?.described.map { (name: tag.name, value: $0) }
    }
    let copyrights = [copyright?.photographer, copyright?.editor].compactMap(\.self)
    let texts = [
      ("Copyright", copyrights.isEmpty ? nil : copyrights.joined(separator: "; ")), ("XPTitle", windowsTitle),
      ("XPComment", windowsComment), ("XPAuthor", windowsAuthors), ("XPKeywords", windowsKeywords),
      ("XPSubject", windowsSubject), ("UserComment", userComment),
    ]
    for (name, text) in texts {
      if let text { tags.append((name, String(text.prefix(1000)))) }
    }
    if let location {
      let numbers = [location.latitude, location.longitude, location.altitude].map { $0?.shortened }
      for (name, number) in zip(["GPSLatitude", "GPSLongitude", "GPSAltitude"], numbers) {
        if let number { tags.append((name, number)) }
      }
    }
    return tags
  }
}

extension WebP.Exif.Value {
  /// The text, or the first number. Nil for bytes.
  fileprivate var described: String? {
    switch self {
    case .text(let text): String(text.prefix(1000))
    case .integers(let numbers): numbers.first.map { "\($0)" }
    case .fractions(let numbers): numbers.first.flatMap(\.described)
    case .reals(let numbers): numbers.first?.shortened
    case .bytes: nil
    }
  }
}

extension WebP.Exif.Fraction {
  /// An integer, or a fraction such as `1/250`.
  fileprivate var described: String? {
    guard denominator != 0 else { return nil }
    return numerator % denominator == 0 ? "\(numerator / denominator)" : "\(numerator)/\(denominator)"
  }
}

extension Double {
  /// The number with at most seven decimals, which are a centimeter of a latitude.
  fileprivate var shortened: String {
    let text = "\((self * 1e7).rounded() / 1e7)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
