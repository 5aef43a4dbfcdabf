import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

/// Decodes one input of `webp decode`, and writes its outputs.
struct FileDecoder {
  private let command: DecodeCommand
  private let input: String
  private let bytes: [UInt8]
  private let info: WebP.ImageInfo
  /// The metadata of the input within the limits, and the part of it that the outputs store.
  private let source: WebP.Metadata
  private let metadata: WebP.Metadata
  /// Indicates whether the progress in the frames of an animation, and a line for each output, are shown.
  private let isOnly: Bool
  private var start = secondsNow
  private var losses: [WebP.Loss] = []
  private(set) var messages: [String] = []
  /// The first error of the input, if only the part before it was written.
  private(set) var fault: Failure?

  /// Reads the input.
  ///
  /// - Parameter isOnly: whether there are no other inputs.
  init(_ command: DecodeCommand, _ input: String, isOnly: Bool) throws(Failure) {
    self.command = command
    self.input = input
    self.isOnly = isOnly
    bytes = try command.resources.readInput(input)
    info = try webp.info(of: bytes, input)
    source = WebP.metadata(bytes, limits: command.resources.limits)
    metadata = command.storedMetadata(source)
  }

  /// Writes the outputs.
  ///
  /// - Throws: `Failure` if an output was not written. The outputs that follow it are not written either.
  mutating func write(_ outputs: [DecodeOutput]) throws(Failure) {
    var path = outputs[0].path
    do {
      var images: [WebP.Image?] = outputs.map { _ in nil }
      if outputs.count > 1, !info.isAnimated, !command.partial, command.frame ?? 0 == 0 {
        images = try decodeSizes(outputs)
      }
      for (output, image) in zip(outputs, images) {
        path = output.path
        if let image { try write(image, to: output, command.resources.threadCount) } else { try write(output) }
      }
    } catch let error as WebP.DecodeError {
      let hasAdvice = !command.partial && error.mayLeavePart
      throw Failure(input, error, hint: hasAdvice ? "; --partial writes the complete part" : "")
    } catch {
      throw writingFailure(path, error)
    }
    addMessages(outputs[0].format)
  }

  /// Decodes the input, and writes one output.
  private mutating func write(_ output: DecodeOutput) throws {
    let options = try decodingOptions(output)
    if writesAnimation(output.format) {
      let (animation, fault) = try openAnimation(options, for: output.path)
      let file = try write(animation, to: output, threads: options.threads)
      add(file, output, fault, frames: ", \(counted(animation.frameCount, "frame"))")
    } else if canStreamRows(as: output.format) {
      add(try writeRows(to: output, options), output)
    } else {
      if info.frameCount > 1 && command.frame == nil && !command.still { losses.append(.frames) }
      let (image, fault) = try decodeImage(for: output.format, options)
      try write(image, to: output, options.threads, fault)
    }
  }

  /// Orients and stores an image.
  private mutating func write(
    _ image: WebP.Image, to output: DecodeOutput, _ threads: WebP.Threads, _ fault: PartialFault? = nil
  ) throws {
    let image = command.options.background.map { image.flattened(on: $0) } ?? image
    let png = png(threads)
    add(
      try writeFile(output) { try image.write(as: output.format, metadata: metadata, png: png, to: $0) }, output, fault)
  }

  private func writeFile(
    _ output: DecodeOutput, _ body: (WebP.PNGWriter.Sink) throws -> WebP.WrittenFile
  ) throws -> WebP.WrittenFile {
    try webp.writeFile(
      output.path, of: input, replacing: output.isNamed || command.force || command.update,
      makingFolder: output.folder, keepsTime: command.image.keepTime, body)
  }

  // MARK: Decoding

  /// The options for decoding to an output, with as many threads as there is memory for.
  private func decodingOptions(_ output: DecodeOutput) throws(Failure) -> WebP.DecodeOptions {
    var options = command.image.applied(to: command.options, for: info, box: output.box)
    let isAnimation = writesAnimation(output.format)
    options.format = isAnimation ? .rgba : pixelFormat(for: output.format)
    // A stream gets the bytes of a PNG only when it is complete, and an APNG has the changed part of each canvas.
    let copies = isAnimation || isStream(output.path) ? 2 : 1
    options.threads = try threadsInMemory(
      for: input, bytes, info, [options], copies: copies, composes: info.isAnimated)
    if options.background != nil { options.format = .rgb }
    return options
  }

  /// Decodes a still image once for all outputs.
  private func decodeSizes(_ outputs: [DecodeOutput]) throws -> [WebP.Image] {
    var images = outputs.map { command.image.applied(to: command.options, for: info, box: $0.box) }
    for index in images.indices { images[index].format = pixelFormat(for: outputs[0].format) }
    images[0].threads = try threadsInMemory(for: input, bytes, info, images, composes: false)
    images[0].background = nil
    return try WebP.decode(bytes, sizes: images.compactMap(\.size), options: images[0])
  }

  /// The pixel format that a file format needs. Missing rows are transparent, so partial decoding needs alpha. Alpha
  /// that the file omits is reported.
  private func pixelFormat(for format: WebP.FileFormat) -> WebP.PixelFormat {
    let hasAlpha = info.hasAlpha || command.partial
    return hasAlpha && !format.contents.alpha ? .rgba : format.pixelFormat(hasAlpha: hasAlpha)
  }

  /// Decodes a still image or a single frame.
  private func decodeImage(
    for format: WebP.FileFormat, _ options: WebP.DecodeOptions
  ) throws -> (WebP.Image, fault: PartialFault?) {
    var options = options
    options.format = pixelFormat(for: format)
    options.background = nil
    let number = command.frame ?? 0
    if info.isAnimated && (number > 0 || command.partial) {
      let animation =
        try command.partial ? WebP.Animation(recovering: bytes, options: options) : .init(bytes, options: options)
      guard animation.frames.indices.contains(number) else {
        throw animation.recoveryError ?? Failure(input, noFrame(number, of: animation.frameCount))
      }
      return (try animation.frame(at: number).image, nil)
    } else if number > 0 {
      throw Failure(input, noFrame(number, of: 1))
    } else if command.partial {
      return try WebP.decodePartially(bytes, options: options)
    } else {
      return (try WebP.decode(bytes, options: options), nil)
    }
  }

  /// Indicates whether the output is an animation.
  private func writesAnimation(_ format: WebP.FileFormat) -> Bool {
    info.isAnimated && format == .png && command.frame == nil && !command.still
  }

  /// Returns whether rows can be written while later rows are decoded. The choice of the complete part needs all rows
  /// first. Other formats than PNG are written from the image.
  private func canStreamRows(as format: WebP.FileFormat) -> Bool {
    format == .png && !info.isAnimated && !command.partial && command.frame ?? 0 == 0
  }

  /// Writes the rows of a still image as a PNG while later rows are decoded. The PNG for a stream is stored until it is
  /// complete, because the last rows may be corrupt. A temporary file might have no space.
  private func writeRows(to output: DecodeOutput, _ options: WebP.DecodeOptions) throws -> WebP.WrittenFile {
    func write(to sink: WebP.PNGWriter.Sink) throws -> WebP.WrittenFile {
      try WebP.writePNG(of: bytes, options: options, metadata: metadata, png: png(options.threads), to: sink)
    }
    return try writeFile(output) { sink in
      guard isStream(output.path) else { return try write(to: sink) }
      var parts: [ContiguousArray<UInt8>] = []
      let file = try write { parts.append($0) }
      for part in parts { try sink(part) }
      return file
    }
  }

  /// Returns whether the output is a stream, from which written bytes cannot be removed. An image is written to a
  /// stream only after it was decoded without errors.
  private func isStream(_ path: String) -> Bool { path == "-" || FileKind(path) == .other }

  private func openAnimation(
    _ options: WebP.DecodeOptions, for path: String
  ) throws(WebP.DecodeError) -> (WebP.Animation, fault: PartialFault?) {
    guard command.partial || isStream(path) else {
      return (try WebP.Animation.open(bytes, options: options, isPartial: false), nil)
    }
    let (soundPart, fault) = try WebP.Animation.soundPart(of: bytes, options: options)
    if let fault, !command.partial { throw fault.error }
    return (try WebP.Animation.open(soundPart, options: options, isPartial: true), fault)
  }

  private func write(
    _ animation: WebP.Animation, to output: DecodeOutput, threads: WebP.Threads
  ) throws -> WebP.WrittenFile {
    let writer = AnimationWriter(animation, metadata: metadata, png: png(threads))
    let showsProgress = isOnly && !command.quiet
    defer { if showsProgress { ProgressLine.clear() } }
    return try writeFile(output) { sink in
      while true {
        if showsProgress {
          ProgressLine.show("\(writer.framesWritten + 1) of \(counted(animation.frameCount, "frame"))")
        }
        if let file = try writer.writeFrame(to: sink) { return file }
      }
    }
  }

  private func png(_ threads: WebP.Threads) -> WebP.PNGOptions {
    WebP.PNGOptions(
      compression: command.level.map { .level($0) } ?? .automatic, reducesColors: !command.image.keepColors,
      threads: threads)
  }

  // MARK: Messages

  private mutating func add(
    _ file: WebP.WrittenFile, _ output: DecodeOutput, _ fault: PartialFault? = nil, frames: String = ""
  ) {
    for loss in file.losses where !losses.contains(loss) {
      // The fault is reported as an error instead.
      if case .framesAfterError = loss { continue }
      losses.append(loss)
    }
    if let fault {
      self.fault = Failure(input, fault.error, hint: "; wrote \(fault.completePart)")
    }
    if command.verbose || (!command.quiet && isOnly && FileDescriptor.standardError.isTerminal) {
      let now = secondsNow
      let time = command.verbose ? " in \(seconds(now - start))" : ""
      start = now
      messages.append("\(input) → \(output.path): \(file.size.width) × \(file.size.height)\(frames)\(time)")
    }
  }

  private mutating func addMessages(_ format: WebP.FileFormat) {
    guard !command.quiet else { return }
    // An image is shown differently if its orientation is omitted on request.
    if !command.image.upright, ![nil, .up].contains(source.orientation), metadata.orientation == nil {
      losses.append(.orientation)
    }
    let kinds = format.contents.metadata ? command.metadataKinds : []
    let omission = command.resources.omittedMetadata(of: bytes, info, source, kinds: kinds)
    messages += [ImageOptions.message(on: losses), omission].compactMap { $0.map { "\(Failure(input, $0))" } }
  }
}
