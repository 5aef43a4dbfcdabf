import PureWebP

/// What there is to say of a file.
struct FileReport: CustomStringConvertible {
  let path: String
  let byteCount: Int
  let info: WebP.ImageInfo
  let metadata: WebP.Metadata

  /// One line: `picture.webp: 640 × 480, lossy, alpha, Exif, 12345 bytes`.
  var description: String {
    var words = ["\(info.width) × \(info.height)"]
    if info.compression != .unspecified { words.append("\(info.compression)") }
    if info.isAnimated { words.append("animated") }
    if info.hasAlpha { words.append("alpha") }
    words += chunks.compactMap { name, bytes in bytes.map { "\(name) (\($0.count) bytes)" } }
    words.append("\(byteCount) bytes")
    return "\(path): \(words.joined(separator: ", "))"
  }

  private var chunks: [(name: String, bytes: [UInt8]?)] {
    [("ICC profile", metadata.icc), ("Exif", metadata.exif), ("XMP", metadata.xmp)]
  }

  /// An array of objects.
  static func json(_ reports: [Self]) -> String {
    guard !reports.isEmpty else { return "[]" }
    return "[\n" + reports.map { "  " + $0.json }.joined(separator: ",\n") + "\n]"
  }

  private var json: String {
    let members = [
      ("file", path.jsonLiteral), ("bytes", "\(byteCount)"), ("width", "\(info.width)"), ("height", "\(info.height)"),
      ("compression", info.compression == .unspecified ? "null" : "\(info.compression)".jsonLiteral),
      ("alpha", "\(info.hasAlpha)"), ("animated", "\(info.isAnimated)"),
      ("iccBytes", metadata.icc.jsonCount), ("exifBytes", metadata.exif.jsonCount),
      ("xmpBytes", metadata.xmp.jsonCount),
    ]
    return "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }
}

extension [UInt8]? {
  fileprivate var jsonCount: String { map { "\($0.count)" } ?? "null" }
}

extension String {
  /// The text in quotes, with JSON's escapes (RFC 8259, section 7).
  var jsonLiteral: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
