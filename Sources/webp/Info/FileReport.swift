import CommandSystem
import PureWebP

/// What there is to say of a file.
struct FileReport: CustomStringConvertible {
  private let path: String
  private let byteCount: Int
  private let info: WebP.ImageInfo
  private let orientation: WebP.Orientation?
  /// How many bytes there are of each kind of metadata. A report may be one of many, and does not hold them.
  private let icc, exif, xmp: Int?
  /// Of one time through an animation, in milliseconds; nil: of a picture, or of a file whose structure is damaged.
  private let duration: Int?

  init(_ bytes: [UInt8], path: String) throws(WebP.DecodeError) {
    self.path = path
    byteCount = bytes.count
    info = try WebP.info(bytes)
    let metadata = WebP.metadata(bytes)
    orientation = metadata.orientation
    (icc, exif, xmp) = (metadata.icc?.count, metadata.exif?.count, metadata.xmp?.count)
    duration = info.isAnimated ? try? WebP.Animation(bytes).duration : nil
  }

  /// One line: `picture.webp: 640 × 480, lossy, alpha, Exif, 12345 bytes`.
  var description: String {
    var words = ["\(info.width) × \(info.height)"]
    if info.compression != .unspecified { words.append("\(info.compression)") }
    if info.isAnimated {
      words.append("animated: \(counted(info.frameCount, "frame"))")
      if let duration { words.append(seconds(Double(duration) / 1000)) }
      words.append(info.loopCount == 0 ? "for ever" : info.loopCount == 1 ? "once" : "\(info.loopCount) times")
    }
    if info.hasAlpha { words.append("alpha") }
    if let orientation, orientation != .up { words.append("turned: \(orientation)") }
    words += chunks.compactMap { name, count in count.map { "\(name) (\($0) bytes)" } }
    words.append("\(byteCount) bytes")
    return "\(path == "-" ? "standard input" : path): \(words.joined(separator: ", "))"
  }

  private var chunks: [(name: String, count: Int?)] { [("ICC profile", icc), ("Exif", exif), ("XMP", xmp)] }

  /// An array of objects.
  static func json(_ reports: [Self]) -> String {
    guard !reports.isEmpty else { return "[]" }
    return "[\n" + reports.map { "  " + $0.json }.joined(separator: ",\n") + "\n]"
  }

  private var json: String {
    let members = [
      ("file", path.withoutStandIns.jsonLiteral), ("bytes", "\(byteCount)"),
      ("width", "\(info.width)"), ("height", "\(info.height)"),
      ("compression", info.compression == .unspecified ? "null" : "\(info.compression)".jsonLiteral),
      ("alpha", "\(info.hasAlpha)"), ("animated", "\(info.isAnimated)"), ("frames", "\(info.frameCount)"),
      ("loops", "\(info.loopCount)"), ("milliseconds", duration.json),
      ("orientation", orientation.map { "\($0.rawValue)" } ?? "null"),
      ("iccBytes", icc.json), ("exifBytes", exif.json), ("xmpBytes", xmp.json),
    ]
    return "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }
}

extension Int? {
  fileprivate var json: String { map { "\($0)" } ?? "null" }
}

extension String {
  /// The text in quotes, with JSON's escapes (RFC 8259, section 7), also of what a terminal would obey.
  var jsonLiteral: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.controlsTerminal:
        literal += "\\u" + String(scalar.value, radix: 16).padded(to: 4, with: "0")
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
