import CommandSystem
import PureWebP

/// The properties of a file, as text and as JSON.
struct FileReport: CustomStringConvertible {
  private let path: String
  private let byteCount: Int
  private let info: WebP.ImageInfo
  private let orientation: WebP.Orientation?
  /// The sizes of the metadata, in bytes. The metadata itself is not retained, because there may be many reports.
  private let metadata: [(kind: WebP.Metadata.Kind, count: Int)]
  private let profile: String?
  private let tags: [(name: String, value: String)]
  /// The complete frames of an animation.
  private let frames: [WebP.Animation.FrameInfo]
  /// The duration of an animation, in milliseconds. Nil for a still image, or if the structure is invalid.
  private let duration: Int?
  /// The failure of a file that ends before the size in its header.
  let truncation: Failure?

  init(_ path: String) throws(Failure) {
    let bytes = try readWebP(path)
    self.path = path
    byteCount = bytes.count
    info = try webp.info(of: bytes, path)
    // No limits apply, so that large metadata is reported too.
    let metadata = WebP.metadata(bytes, limits: .unlimited)
    orientation = metadata.orientation
    self.metadata = WebP.Metadata.Kind.allCases.compactMap { kind in metadata[kind].map { (kind, $0.count) } }
    profile = metadata.profileName
    tags = metadata.exifTags?.described ?? []
    truncation = webp.truncation(of: bytes, path)
    let animation = info.isAnimated ? try? WebP.Animation(recovering: bytes) : nil
    frames = animation?.frames ?? []
    duration = animation != nil && animation?.recoveryError == nil ? info.storedMilliseconds : nil
  }

  /// The properties in one line: `image.webp: 640 × 480, lossy, alpha, Exif (246 bytes), 12345 bytes`.
  var description: String {
    var words = ["\(info.width) × \(info.height)"]
    if let compression { words.append(compression) }
    if info.isAnimated {
      words.append("animated: \(counted(info.frameCount, "frame"))")
      if let duration { words.append(seconds(Double(duration) / 1000)) }
      words.append(info.loopCount == 0 ? "endless" : info.loopCount == 1 ? "once" : "\(info.loopCount) times")
    }
    if info.hasAlpha { words.append("alpha") }
    if let orientation, orientation != .up { words.append("orientation: \(orientation)") }
    for (kind, count) in metadata {
      words.append("\(kind.title) (\(count) bytes\(kind == .icc ? profile.map { ": \($0)" } ?? "" : ""))")
    }
    words.append("\(byteCount) bytes")
    return "\(path == "-" ? "standard input" : path): \(words.joined(separator: ", "))"
  }

  /// The compression of the image or of all frames, or `mixed`. Nil if the file has no frames.
  private var compression: String? {
    guard info.isAnimated else { return info.compression == .unspecified ? nil : info.compression.name }
    guard let first = frames.first?.compression else { return nil }
    return frames.allSatisfy { $0.compression == first } ? first.name : "mixed"
  }

  /// The lines that list the Exif tags.
  var tagTable: [String] {
    let width = tags.map(\.name.count).max() ?? 0
    return tags.map { "  \($0.name):\(String(repeating: " ", count: width - $0.name.count)) \($0.value)" }
  }

  /// The lines of a table of the frames, beginning with the column headings. Empty for a still image.
  var frameTable: [String] {
    guard !frames.isEmpty else { return [] }
    let headings = [
      "frame", "width", "height", "x", "y", "ms", "blend", "dispose", "alpha", "key", "compression", "bytes",
    ]
    let rows =
      [headings]
      + frames.enumerated().map { index, frame in
        let area = frame.rectangle
        return [
          "\(index)", "\(area.width)", "\(area.height)", "\(area.x)", "\(area.y)", "\(frame.storedMilliseconds)",
          frame.isBlended ? "yes" : "no", frame.disposalName, frame.hasAlpha ? "yes" : "no",
          frame.isKeyFrame ? "yes" : "no",
          frame.compression.name, "\(frame.bytes.count)",
        ]
      }
    let widths = headings.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in "  " + zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ") }
  }

  /// The report as a JSON object.
  var json: String {
    var members = jsonMembers(ofFile: path)
    let hasExif = metadata.contains { $0.kind == .exif }
    members += [
      ("bytes", "\(byteCount)"), ("width", "\(info.width)"), ("height", "\(info.height)"),
      ("compression", compression.map(\.jsonLiteral) ?? "null"),
      ("alpha", "\(info.hasAlpha)"), ("animated", "\(info.isAnimated)"), ("frames", "\(info.frameCount)"),
      ("loops", "\(info.loopCount)"), ("milliseconds", duration.json),
      ("orientation", orientation.map { "\($0.rawValue)" } ?? "null"),
    ]
    members += WebP.Metadata.Kind.allCases.map { kind in
      ("\(kind)Bytes", (metadata.first { $0.kind == kind }?.count).json)
    }
    members += [
      ("iccDescription", profile.map(\.jsonLiteral) ?? "null"),
      ("exif", hasExif ? jsonObject(tags.map { ($0.name, $0.value.jsonLiteral) }) : "null"),
      ("frameList", info.isAnimated ? "[" + frames.map(\.json).joined(separator: ", ") + "]" : "null"),
    ]
    return jsonObject(members + jsonMembers(of: truncation))
  }
}

extension WebP.Animation.FrameInfo {
  /// The disposal method: `background` or `none`.
  fileprivate var disposalName: String { isDisposed ? "background" : "none" }

  fileprivate var json: String {
    jsonObject([
      ("width", "\(rectangle.width)"), ("height", "\(rectangle.height)"), ("x", "\(rectangle.x)"),
      ("y", "\(rectangle.y)"),
      ("milliseconds", "\(storedMilliseconds)"),
      ("blend", "\(isBlended)"), ("dispose", disposalName.jsonLiteral), ("alpha", "\(hasAlpha)"),
      ("keyFrame", "\(isKeyFrame)"), ("compression", compression.name.jsonLiteral), ("bytes", "\(bytes.count)"),
    ])
  }
}

extension Int? {
  fileprivate var json: String { map { "\($0)" } ?? "null" }
}

extension WebP.Metadata.Kind {
  /// The name in messages.
  var title: String {
    switch self {
    case .icc: "ICC profile"
    case .exif: "Exif"
    case .xmp: "XMP"
    }
  }
}
