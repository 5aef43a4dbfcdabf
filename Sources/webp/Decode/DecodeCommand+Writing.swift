import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

// Decoding one input and writing its output.

extension DecodeCommand {
  /// Decodes one input and writes its output.
  ///
  /// - Throws: `Failure` if nothing was written. If the complete part of a corrupt file was written, the error is added
  ///   to `result` instead.
  ///
  /// - Parameter isOnly: whether this is the only job, so that a line for the output, and the progress, are shown.
  func decode(
    _ input: String, to output: DecodeOutput, isOnly: Bool, _ result: inout DecodeResult
  ) throws(Failure) {
    let (path, format) = (output.path, output.format)
    let time = outputOptions.keepTime ? ModificationTime(of: input) : nil
    let bytes = try limits.readInput(input)
    func writeFile(_ body: (WebP.PNGWriter.Sink) throws -> WebP.WrittenFile) throws -> WebP.WrittenFile {
      try writeOutput(
        path, replacing: output.isNamed || force || update, makingFolder: output.folder, modified: time, body)
    }
    let start = secondsNow
    let file: WebP.WrittenFile
    var frames = ""
    var fault: PartialFault?
    var losses: [WebP.Loss] = []
    let source = WebP.metadata(bytes, limits: limits.limits)
    let metadata = noMetadata ? WebP.Metadata() : source
    let omission: String?
    do {
      let info = try WebP.info(bytes)
      omission = noMetadata ? nil : limits.omittedMetadata(of: bytes, info, source)
      let orientation = geometry.upright ? source.orientation : nil
      var decoding = geometry.applied(to: options, for: info, orientation: orientation)
      let copies = geometry.upright || decoding.background != nil ? 2 : 1
      if decoding.background != nil { decoding.format = .rgb }
      decoding.threads = try threadsInMemory(for: input, info, decoding, copies: copies)
      let png = png(decoding.threads)
      if writesAnimation(info, as: format) {
        let animation: WebP.Animation
        (animation, fault) = try openAnimation(bytes, decoding, for: path)
        frames = ", \(counted(animation.frameCount, "frame"))"
        file = try writeFile {
          try write(animation, metadata, orientation, png, showsProgress: isOnly && !quiet, to: $0)
        }
      } else if canStreamRows(to: path, as: format) && !info.isAnimated {
        file = try writeFile {
          try WebP.writePNG(of: bytes, options: decoding, metadata: .custom(metadata), png: png, to: $0)
        }
      } else {
        if info.frameCount > 1 && frame == nil && !still { losses.append(.frames) }
        var image: WebP.Image
        (image, fault) = try decodeImage(bytes, from: input, info, for: format, decoding)
        image = geometry.oriented(image, orientation)
        if let background = decoding.background { image = image.flattened(on: background) }
        file = try writeFile { try image.write(as: format, metadata: metadata, png: png, to: $0) }
      }
    } catch let error as WebP.DecodeError {
      let hasPart = !partial && error.mayLeavePart && hasPart(of: bytes, from: input, as: format)
      throw limits.failure(input, error, hint: hasPart ? "; --partial writes the complete part" : "")
    } catch Errno.fileExists {
      throw Failure(input, existsAlready(path))
    } catch {
      throw writingFailure(path, error)
    }
    result.writtenInput = input
    if verbose || (!quiet && isOnly && FileDescriptor.standardError.isTerminal) {
      let time = verbose ? " in \(seconds(secondsNow - start))" : ""
      result.messages.append("\(input) → \(path): \(file.width) × \(file.height)\(frames)\(time)")
    }
    losses += file.losses
    // An image is shown differently if its orientation is omitted on request.
    let isTurned = !geometry.upright && ![nil, .up].contains(source.orientation)
    if isTurned, metadata.orientation == nil { losses.append(.orientation) }
    if !quiet, let message = OutputOptions.message(on: losses) { result.messages.append("\(Failure(input, message))") }
    if format == .png && !quiet, let omission { result.messages.append("\(Failure(input, omission))") }
    if let fault { result.add(limits.failure(input, fault.error, hint: "; wrote \(fault.completePart)")) }
  }

  /// Indicates whether the output is an animation.
  private func writesAnimation(_ info: WebP.ImageInfo, as format: WebP.FileFormat) -> Bool {
    info.isAnimated && format == .png && frame == nil && !still
  }

  /// Indicates whether --partial would write a part of a file that cannot be decoded completely.
  private func hasPart(of bytes: [UInt8], from input: String, as format: WebP.FileFormat) -> Bool {
    var command = self
    command.partial = true
    guard let info = try? WebP.info(bytes) else { return false }
    let options = geometry.applied(to: options, for: info)
    if writesAnimation(info, as: format) { return (try? command.openAnimation(bytes, options, for: "-")) != nil }
    return (try? command.decodeImage(bytes, from: input, info, for: format, options)) != nil
  }

  /// Decodes a still image or a single frame, in the pixel format that the file format needs.
  private func decodeImage(
    _ bytes: [UInt8], from input: String, _ info: WebP.ImageInfo, for format: WebP.FileFormat,
    _ options: WebP.DecodeOptions
  ) throws -> (WebP.Image, fault: PartialFault?) {
    var options = options
    // Missing rows are transparent, so partial decoding needs alpha. Alpha that a PPM omits is reported.
    let hasAlpha = info.hasAlpha || partial
    options.format = hasAlpha && format == .ppm ? .rgba : format.pixelFormat(hasAlpha: hasAlpha)
    let number = frame ?? 0
    if info.isAnimated && (number > 0 || partial) {
      let animation = try partial ? WebP.Animation(recovering: bytes, options: options) : .init(bytes, options: options)
      guard animation.frames.indices.contains(number) else {
        throw animation.recoveryError ?? Failure(input, noFrame(number, of: animation.frameCount))
      }
      return (try animation.frame(at: number).image, nil)
    } else if number > 0 {
      throw Failure(input, noFrame(number, of: 1))
    } else if partial {
      return try WebP.decodePartially(bytes, options: options)
    } else {
      return (try WebP.decode(bytes, options: options), nil)
    }
  }

  /// Returns whether rows can be written while later rows are decoded.
  private func canStreamRows(to path: String, as format: WebP.FileFormat) -> Bool {
    format == .png && !geometry.upright && !partial && frame == nil && !isStream(path)
  }

  /// Returns whether the output is a stream, from which written bytes cannot be removed. An image is written to a
  /// stream only after it was decoded without errors.
  private func isStream(_ path: String) -> Bool { path == "-" || FileKind(path) == .other }

  private func openAnimation(
    _ bytes: [UInt8], _ options: WebP.DecodeOptions, for path: String
  ) throws(WebP.DecodeError) -> (WebP.Animation, fault: PartialFault?) {
    guard partial || isStream(path) else {
      return (try WebP.Animation.open(bytes, options: options, isPartial: false), nil)
    }
    let (soundPart, fault) = try WebP.Animation.soundPart(of: bytes, options: options)
    if let fault, !partial { throw fault.error }
    return (try WebP.Animation.open(soundPart, options: options, isPartial: true), fault)
  }

  private func write(
    _ animation: WebP.Animation, _ metadata: WebP.Metadata, _ orientation: WebP.Orientation?, _ png: WebP.PNGOptions,
    showsProgress: Bool, to sink: WebP.PNGWriter.Sink
  ) throws -> WebP.WrittenFile {
    var metadata = metadata
    var change: ((WebP.Image) -> WebP.Image)?
    if let orientation, orientation != .up || geometry.flip {
      metadata = metadata.upright()
      change = { geometry.oriented($0, orientation) }
    }
    let writer = AnimationWriter(animation, metadata: metadata, png: png, changing: change)
    defer { if showsProgress { ProgressLine.clear() } }
    while true {
      if showsProgress { ProgressLine.show("\(writer.framesWritten + 1) of \(counted(animation.frameCount, "frame"))") }
      if let file = try writer.writeFrame(to: sink) { return file }
    }
  }

  private var options: WebP.DecodeOptions {
    WebP.DecodeOptions(
      upsampling: noFancy ? .nearest : .fancy, bypassesLoopFilter: noFilter, dithering: noDither ? 0 : dither,
      alphaSmoothing: alphaDither ? 100 : 0, background: outputOptions.background?.argb, threads: threads.value,
      limits: limits.limits)
  }

  private func png(_ threads: WebP.Threads) -> WebP.PNGOptions {
    WebP.PNGOptions(compression: level.map { .level($0) } ?? .automatic, threads: threads)
  }
}
