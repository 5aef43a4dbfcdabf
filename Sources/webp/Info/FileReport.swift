import CommandSystem
import PureWebP

/// The properties of a file, as text and as JSON.
struct FileReport: CustomStringConvertible {
  private let path: String
  private let byteCount: Int
  private let info: WebP.ImageInfo
  private let orientation: WebP.Orientation?
  /// The sizes of the metadata, in bytes. The metadata itself is not retained, because there may be many reports.
  private let icc, exif, xmp: Int?
  /// The complete frames of an animation.
  private let frames: [WebP.Animation.FrameInfo]
  /// The duration of an animation, in milliseconds. Nil for a still image, or if the structure is invalid.
  private let duration: Int?

  init(_ bytes: [UInt8], path: String) throws(WebP.DecodeError) {
    self.path = path
    byteCount = bytes.count
    info = try WebP.info(bytes)
    // No limits apply, so that large metadata is reported too.
    let metadata = WebP.metadata(bytes, limits: .none)
    orientation = metadata.orientation
    (icc, exif, xmp) = (metadata.icc?.count, metadata.exif?.count, metadata.xmp?.count)
    let animation = info.isAnimated ? try? WebP.Animation(recovering: bytes) : nil
    frames = animation?.frames ?? []
    duration = animation.flatMap { $0.recoveryError == nil ? $0.duration : nil }
  }

  /// The properties in one line: `image.webp: 640 × 480, lossy, alpha, Exif (246 bytes), 12345 bytes`.
  var description: String {
    var words = ["\(info.width) × \(info.height)"]
    if info.compression != .unspecified { words.append(info.compression.name) }
    if info.isAnimated {
      words.append("animated: \(counted(info.frameCount, "frame"))")
      if let duration { words.append(seconds(Double(duration) / 1000)) }
      words.append(info.loopCount == 0 ? "endless" : info.loopCount == 1 ? "once" : "\(info.loopCount) times")
    }
    if info.hasAlpha { words.append("alpha") }
    if let orientation, orientation != .up { words.append("orientation: \(orientation)") }
    words += chunks.compactMap { name, count in count.map { "\(name) (\($0) bytes)" } }
    words.append("\(byteCount) bytes")
    return "\(path == "-" ? "standard input" : path): \(words.joined(separator: ", "))"
  }

  private var chunks: [(name: String, count: Int?)] { [("ICC profile", icc), ("Exif", exif), ("XMP", xmp)] }

  /// The lines of a table of the frames, beginning with the column headings. Empty for a still image.
  var frameTable: [String] {
    guard !frames.isEmpty else { return [] }
    let headings = [
      "frame", "width", "height", "x", "y", "ms", "blend", "dispose", "alpha", "key", "compression", "bytes",
    ]
    let rows =
      [headings]
      + frames.enumerated().map { index, frame in
        [
          "\(index)", "\(frame.width)", "\(frame.height)", "\(frame.x)", "\(frame.y)", "\(frame.duration)",
          frame.blending == .blend ? "yes" : "no", frame.disposalName, frame.hasAlpha ? "yes" : "no",
          frame.isKeyFrame ? "yes" : "no",
          frame.compression.name, "\(frame.bytes.count)",
        ]
      }
    let widths = headings.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in "  " + zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ") }
  }

  /// Returns a JSON array with an object for each report.
  static func json(_ reports: [Self]) -> String {
    guard !reports.isEmpty else { return "[]" }
    return "[\n" + reports.map { "  " + $0.json }.joined(separator: ",\n") + "\n]"
  }

  private var json: String {
    let members = [
      ("file", path.withoutStandIns.jsonLiteral), ("bytes", "\(byteCount)"),
      ("width", "\(info.width)"), ("height", "\(info.height)"),
      ("compression", info.compression == .unspecified ? "null" : info.compression.name.jsonLiteral),
      ("alpha", "\(info.hasAlpha)"), ("animated", "\(info.isAnimated)"), ("frames", "\(info.frameCount)"),
      ("loops", "\(info.loopCount)"), ("milliseconds", duration.json),
      ("orientation", orientation.map { "\($0.rawValue)" } ?? "null"),
      ("iccBytes", icc.json), ("exifBytes", exif.json), ("xmpBytes", xmp.json),
      ("frameList", info.isAnimated ? "[" + frames.map(\.json).joined(separator: ", ") + "]" : "null"),
    ]
    return jsonObject(members)
  }
}

extension WebP.Animation.FrameInfo {
  /// The disposal method: `background` or `none`.
  fileprivate var disposalName: String { disposal == .clear ? "background" : "none" }

  fileprivate var json: String {
    jsonObject([
      ("width", "\(width)"), ("height", "\(height)"), ("x", "\(x)"), ("y", "\(y)"), ("milliseconds", "\(duration)"),
      ("blend", "\(blending == .blend)"), ("dispose", disposalName.jsonLiteral), ("alpha", "\(hasAlpha)"),
      ("keyFrame", "\(isKeyFrame)"), ("compression", compression.name.jsonLiteral), ("bytes", "\(bytes.count)"),
    ])
  }
}

/// Returns a JSON object. The values of `members` must be JSON.
private func jsonObject(_ members: [(name: String, value: String)]) -> String {
  "{" + members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}"
}

extension Int? {
  fileprivate var json: String { map { "\($0)" } ?? "null" }
}

extension String {
  /// The text as a JSON string (RFC 8259, section 7). Characters that control a terminal are escaped too.
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
