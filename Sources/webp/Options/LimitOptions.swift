import ArgumentParser
import CommandSystem
import PureWebP

/// The limits that are checked before memory and time are spent on a file, as options of a command.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse images and canvases of more pixels (default: 2^27).", valueName: "n"))
  var maxPixels: Int?

  @Option(help: ArgumentHelp("Refuse files of more bytes (default: 2^30).", valueName: "n"))
  var maxBytes: Int?

  @Option(help: ArgumentHelp("Refuse animations of more frames (default: 2^18).", valueName: "n"))
  var maxFrames: Int?

  @Option(
    help: ArgumentHelp(
      "Refuse animations with more pixels in all frames or converted canvases (default: 2^36).", valueName: "n"))
  var maxTotalPixels: Int?

  @Option(
    help: ArgumentHelp(
      "Refuse images of more than 2^26 pixels that have more pixels per byte (default: 256).",
      valueName: "n"))
  var pixelsPerByte: Int?

  @Option(help: ArgumentHelp("Omit metadata beyond this number of bytes (default: 2^26).", valueName: "n"))
  var maxMetadata: Int?

  @Flag(help: "Disable all limits.")
  var noLimits = false

  func validate() throws {
    for number in [maxPixels, maxBytes, maxFrames, maxTotalPixels, pixelsPerByte, maxMetadata] {
      if let number, number < 0 { throw ValidationError("limits must be at least 0") }
    }
  }

  /// Returns the name of the option for a limit.
  private static func name(of limit: WebP.Limits.Name) -> String {
    switch limit {
    case .maximumPixels: "--max-pixels"
    case .maximumPixelsPerByte: "--pixels-per-byte"
    case .maximumBytes: "--max-bytes"
    case .maximumFrames: "--max-frames"
    case .maximumAnimationPixels: "--max-total-pixels"
    }
  }

  /// Reads a file, or standard input if the path is `-`, up to the limit on bytes.
  func readInput(_ path: String) throws(Failure) -> [UInt8] {
    try readWebP(path, limit: limits.maximumBytes, hint: "; --max-bytes allows more")
  }

  /// Returns the failure for an error in a file. If a limit is exceeded, the message names the option that raises it.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - error: the error.
  ///   - hint: the end of the message if no limit is exceeded.
  func failure(_ path: String, _ error: WebP.DecodeError, hint: String = "") -> Failure {
    Failure(path, error.limit.map { error.detail(limitName: Self.name(of: $0)) } ?? error.description + hint)
  }

  /// Returns a message about the metadata that the limit excludes, or nil if all metadata is included.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - info: its headers.
  ///   - included: the metadata within the limit.
  ///   - kinds: the kinds that are to be stored.
  func omittedMetadata(
    of bytes: [UInt8], _ info: WebP.ImageInfo, _ included: WebP.Metadata, kinds: [WebP.Metadata.Kind]
  ) -> String? {
    let isComplete =
      info.hasICC == (included.icc != nil) && info.hasExif == (included.exif != nil)
      && info.hasXMP == (included.xmp != nil)
    guard !isComplete else { return nil }
    let all = WebP.metadata(bytes, limits: .none)
    let omitted = kinds.compactMap { kind in
      included[kind] == nil ? all[kind].map { "\(kind.title) (\($0.count) bytes)" } : nil
    }
    guard !omitted.isEmpty else { return nil }
    return "limit exceeded: left out \(omitted.joined(separator: ", ")); --max-metadata allows more"
  }

  var limits: WebP.Limits {
    var limits = noLimits ? WebP.Limits.none : WebP.Limits()
    if let maxPixels { limits.maximumPixels = maxPixels }
    if let maxBytes { limits.maximumBytes = maxBytes }
    if let maxFrames { limits.maximumFrames = maxFrames }
    if let maxTotalPixels { limits.maximumAnimationPixels = maxTotalPixels }
    if let pixelsPerByte {
      limits.maximumPixelsPerByte = pixelsPerByte
      limits.unrestrictedPixels = WebP.Limits().unrestrictedPixels
    }
    if let maxMetadata { limits.maximumMetadataBytes = maxMetadata }
    return limits
  }
}
