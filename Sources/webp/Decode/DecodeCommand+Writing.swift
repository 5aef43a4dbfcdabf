import CommandSystem
import PureWebP
import WebPExport

// What `webp decode` does with one input.

extension DecodeCommand {
  func decode(_ input: String, to destination: inout Destination) throws(Failure) {
    let (path, format) = try destination.place(for: input)
    let bytes = try limits.readInput(input)
    let start = secondsNow
    let size: String
    do {
      let info = try WebP.info(bytes)
      let folder = destination.folder
      if info.isAnimated && format == .png {
        size = try writeOutput(path, makingFolder: folder) { try writeAnimation(bytes, from: input, to: $0) }
      } else if format == .png && !upright && path != "-" && FileKind(path) != .other {
        size = try writeOutput(path, makingFolder: folder) { try writePNG(bytes, to: $0) }
      } else {
        let (image, metadata) = try picture(bytes, for: format, hasAlpha: info.hasAlpha)
        try writeOutput(path, makingFolder: folder) {
          try image.write(as: format, metadata: metadata, png: png, to: $0)
        }
        size = "\(image.width) × \(image.height)"
      }
    } catch let error as WebP.DecodeError {
      throw limits.failure(input, error)
    } catch {
      throw Failure(writing: path, "\(error)")
    }
    destination.fill(path, from: input)
    if verbose || (!quiet && inputs.count == 1 && FileDescriptor.standardError.isTerminal) {
      let time = verbose ? " in \(seconds(secondsNow - start))" : ""
      printError("\(input) → \(path): \(size)\(time)")
    }
  }

  /// The picture as it is to be written, and what goes along.
  private func picture(
    _ bytes: [UInt8], for format: WebP.FileFormat, hasAlpha: Bool
  ) throws(WebP.DecodeError) -> (WebP.Image, WebP.Metadata) {
    var options = options
    options.format = format.pixelFormat(hasAlpha: hasAlpha)
    var metadata = WebP.metadata(bytes, limits: options.limits)
    let orientation = upright ? metadata.orientation : nil
    options.size = options.size?.turned(by: orientation ?? .up)
    if upright { options.flipsVertically = false }
    var image = try WebP.decode(bytes, options: options).oriented(orientation ?? .up)
    // What is turned upside down is the picture as it is shown.
    if upright, flip { image = image.oriented(.downMirrored) }
    if orientation != nil { metadata.exif = nil }
    if noMetadata { metadata = WebP.Metadata() }
    return (image, metadata)
  }

  /// Writes rows while others are decoded. Not for streams: what they have been given cannot be taken back if the picture is
  /// found damaged.
  private func writePNG(_ bytes: [UInt8], to sink: WebP.PNGWriter.Sink) throws -> String {
    let metadata = noMetadata ? WebP.Metadata() : WebP.metadata(bytes, limits: options.limits)
    let (width, height) = try WebP.writePNG(of: bytes, options: options, metadata: metadata, png: png, to: sink)
    return "\(width) × \(height)"
  }

  private func writeAnimation(
    _ bytes: [UInt8], from input: String, to sink: WebP.PNGWriter.Sink
  ) throws -> String {
    var options = options
    options.format = .rgba
    let animation = try WebP.Animation(bytes, options: options)
    let showsProgress = !quiet && inputs.count == 1
    let progress = { (index: Int) in
      if showsProgress { ProgressLine.show("\(index + 1) of \(counted(animation.frameCount, "frame"))") }
    }
    defer { if showsProgress { ProgressLine.clear() } }
    let metadata = noMetadata ? WebP.Metadata() : nil
    let (width, height) = try animation.write(metadata: metadata, png: png, progress: progress, to: sink)
    if !quiet, upright, ![nil, .up].contains(animation.metadata.orientation) {
      ProgressLine.clear()
      printError("\(Failure(input, "--upright turns no animations"))")
    }
    return "\(width) × \(height), \(counted(animation.frameCount, "frame"))"
  }

  private var options: WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.upsampling = noFancy ? .nearest : .fancy
    options.bypassesLoopFilter = noFilter
    options.dithering = noDither ? 0 : dither
    options.alphaDithering = alphaDither ? 100 : 0
    options.crop = crop
    options.size = fit?.fitting ?? resize?.exact
    options.flipsVertically = flip
    options.threads = threads.value
    options.limits = limits.limits
    return options
  }

  private var png: WebP.PNGOptions {
    var options = WebP.PNGOptions()
    if let level { options.compression = .level(level) }
    options.threads = threads.value
    return options
  }
}
