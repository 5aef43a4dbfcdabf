import CommandSystem
import PureWebP
import WebPExport

/// Writes the frames of one animation as files.
final class FrameWriter {
  private struct OutputLimitExceeded: Error {}

  private let command: FramesCommand
  private let destination: Destination
  private let format: WebP.FileFormat
  private let input: String
  private let animation: WebP.Animation
  private let metadata: WebP.Metadata
  private let png: WebP.PNGOptions
  private var writtenFrames = 0
  private var writtenBytes = 0
  /// The parts of the input that the files do not contain. Reported once, not for each frame.
  private var losses: [WebP.Loss] = []

  init(
    _ command: FramesCommand, _ bytes: [UInt8], from input: String, to destination: Destination,
    as format: WebP.FileFormat
  ) throws {
    self.command = command
    self.destination = destination
    self.format = format
    self.input = input
    let limits = command.resources.limits
    let source = WebP.metadata(bytes, limits: limits)
    let info = try webp.info(of: bytes, input)
    var options = command.image.applied(
      to: .init(threads: command.resources.threadCount, limits: limits), for: info)
    options.background = command.image.background?.color
    options.threads = try threadsInMemory(for: input, bytes, info, [options], composes: true)
    if options.background != nil { options.format = .rgb }
    png = WebP.PNGOptions(reducesColors: !command.image.keepColors, threads: options.threads)
    animation = try WebP.Animation(recovering: bytes, options: options)
    if command.frame?.isSingle != true { try limits.check(allCanvasesOf: animation) }

    // Each file contains a copy of the profile. The limit on metadata applies to the sum of all copies, because a small
    // file may have many frames.
    let copies = command.frame?.isSingle == true ? 1 : max(animation.frameCount, 1)
    let profileLimit = limits.maximumMetadataBytes / copies
    let profile = source.icc
    let isIncluded = profile.map { $0.count <= profileLimit } ?? true
    metadata = WebP.Metadata(icc: isIncluded ? profile : nil)
    if !command.image.upright, ![nil, .up].contains(source.orientation) { losses.append(.orientation) }
    if !isIncluded && format == .png && !command.quiet {
      printError("\(Failure(input, "limit exceeded: left out the ICC profiles; --max-metadata allows more"))")
    }
  }

  func run() throws(Failure) {
    defer {
      if !command.quiet, let message = ImageOptions.message(on: losses) { printError("\(Failure(input, message))") }
    }
    var fault: WebP.DecodeError?
    do {
      if let selection = command.frame { return try writeFrames(selection) }
      var frames = animation.makeIterator()
      while let frame = try frames.nextFrame() {
        if !command.quiet { ProgressLine.show("\(frame.index + 1) of \(counted(animation.frameCount, "frame"))") }
        try write(frame)
      }
    } catch let error as WebP.DecodeError {
      fault = error
    } catch {
      throw writingFailure(command.output ?? ".", error)
    }
    guard let fault else { return }
    let part = PartialFault(fault, completeFrames: writtenFrames, of: animation).completePart
    throw Failure(input, fault, hint: writtenFrames > 0 ? "; wrote \(part)" : "")
  }

  private func writeFrames(_ selection: FrameSelection) throws {
    let numbers: [Int]
    do throws(Failure) { numbers = try selection.numbers(of: animation.frameCount, in: input) } catch {
      throw animation.recoveryError ?? error
    }
    var frames = animation.makeIterator()
    var next = 0
    for number in numbers {
      if number != next { frames = try animation.makeIterator(at: number) }
      next = number + 1
      if let frame = try frames.nextFrame() { try write(frame) }
    }
  }

  private func write(_ frame: WebP.Animation.Frame) throws {
    let path = destination.namedPath ?? path(ofFrame: frame.index)
    do {
      let file = try writeFile(
        path, of: input, replacing: destination.namedPath != nil || command.force, makingFolder: destination.folder,
        keepsTime: command.image.keepTime
      ) { sink in
        try frame.image.write(as: format, metadata: metadata, png: png) { bytes in
          writtenBytes += bytes.count
          if writtenBytes > command.outputLimit { throw OutputLimitExceeded() }
          try sink(bytes)
        }
      }
      losses += file.losses.filter { !losses.contains($0) }
    } catch WebP.ExportError.output(is OutputLimitExceeded) {
      let part = "wrote \(writtenFrames) of \(counted(animation.frameCount, "frame"))"
      throw Failure(input, "output exceeds --max-output (\(command.outputLimit)); \(part)", kind: "limitExceeded")
    } catch {
      throw writingFailure(path, error)
    }
    writtenFrames += 1
  }

  private func path(ofFrame index: Int) -> String {
    let unnamed = unnamedOutput(of: input, in: destination.folder)
    let start = command.prefix.map { unnamed.removingLastComponent().appending($0).argument } ?? unnamed.argument + "-"
    return "\(start)\(frameNumber(index, of: animation.frameCount)).\(format.fileExtension)"
  }
}
