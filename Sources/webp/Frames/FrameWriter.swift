import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

/// Writes the frames of one animation as files.
final class FrameWriter {
  private struct OutputLimitExceeded: Error {}

  private let command: FramesCommand
  private let input: String
  private let animation: WebP.Animation
  /// The size of the output files, in pixels.
  private let size: (width: Int, height: Int)
  private let orientation: WebP.Orientation?
  private let metadata: WebP.Metadata
  private var writtenFrames = 0
  private var writtenBytes = 0
  private var reportsDroppedProfile: Bool

  init(_ command: FramesCommand, _ bytes: [UInt8], from input: String) throws(WebP.DecodeError) {
    self.command = command
    self.input = input
    reportsDroppedProfile = !command.quiet
    var options = command.decodeOptions
    orientation = command.geometry.orientation(WebP.metadata(bytes, limits: options.limits))
    command.geometry.apply(to: &options, orientation: orientation)
    let decodedSize = try options.outputSize(for: WebP.info(bytes))
    size = (orientation ?? .up).orientedSize(width: decodedSize.width, height: decodedSize.height)
    animation = try WebP.Animation(recovering: bytes, options: options)
    if command.only == nil { try options.limits.check(allCanvasesOf: animation) }

    // Each file contains a copy of the profile. The limit on metadata applies to the sum of all copies, because a small
    // file may have many frames.
    let profileLimit = options.limits.maximumMetadataBytes / (command.only == nil ? max(animation.frameCount, 1) : 1)
    let profile = animation.metadata.icc
    let isIncluded = profile.map { $0.count <= profileLimit } ?? true
    metadata = WebP.Metadata(icc: isIncluded ? profile : nil)
    if !isIncluded && command.format == .png && !command.quiet {
      printError("\(Failure(input, "limit exceeded: left out the ICC profiles; --max-metadata allows more"))")
    }
  }

  func run() throws(Failure) {
    var fault: WebP.DecodeError?
    do {
      if let only = command.only {
        try writeFrame(only)
        return
      }
      printExpectedTotal()
      var frames = animation.makeIterator()
      while let frame = try frames.nextFrame() {
        if !command.quiet { ProgressLine.show("\(frame.index + 1) of \(counted(animation.frameCount, "frame"))") }
        try write(frame)
      }
    } catch let error as WebP.DecodeError {
      fault = error
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(writing: command.output ?? ".", "\(error)")
    }
    guard let fault else { return }
    let part = PartialFault(fault, completeFrames: writtenFrames, of: animation).completePart
    throw command.limits.failure(input, fault, hint: writtenFrames > 0 ? "; wrote \(part)" : "")
  }

  private func writeFrame(_ number: Int) throws {
    guard animation.frames.indices.contains(number) else {
      throw animation.recoveryError ?? Failure(input, noFrame(number, of: animation.frameCount))
    }
    try write(animation.frame(at: number))
  }

  private func printExpectedTotal() {
    guard !command.quiet, FileDescriptor.standardError.isTerminal, animation.frameCount > 1 else { return }
    let total = byteSize(4 * size.width * size.height * animation.frameCount)
    let frames = counted(animation.frameCount, "frame")
    printError("\(input): \(frames) of \(size.width) × \(size.height), \(total) before compression")
  }

  private func write(_ frame: WebP.Animation.Frame) throws {
    let namedPath = command.output == "-" ? "-" : command.singleFile
    let path = namedPath ?? path(ofFrame: frame.index)
    if namedPath == nil && !command.force { try refuseToReplace(path, by: input) }
    let image = command.geometry.oriented(frame.image, orientation)
    var png = WebP.PNGOptions()
    png.threads = command.threads.value
    do {
      let file = try writeOutput(
        path, replacing: namedPath != nil || command.force, makingFolder: namedPath == nil ? command.output : nil
      ) { sink in
        try image.write(as: command.format, metadata: metadata, png: png) { bytes in
          writtenBytes += bytes.count
          if writtenBytes > command.outputLimit { throw OutputLimitExceeded() }
          try sink(bytes)
        }
      }
      report(file.droppedProfile)
    } catch WebP.ExportError.output(is OutputLimitExceeded) {
      let part = "wrote \(writtenFrames) of \(counted(animation.frameCount, "frame"))"
      throw Failure(
        input, "limit exceeded: more than \(command.outputLimit) bytes of output; \(part); --max-output allows more")
    } catch {
      throw Failure(writing: path, "\(error)")
    }
    writtenFrames += 1
  }

  /// Reports a profile that the file format cannot store. Reports it once, not for each frame.
  private func report(_ profile: WebP.DroppedProfile?) {
    guard let profile, reportsDroppedProfile else { return }
    reportsDroppedProfile = false
    ProgressLine.clear()
    printError("\(Failure(input, "\(profile)"))")
  }

  private func path(ofFrame index: Int) -> String {
    let unnamed = unnamedOutput(of: input, in: command.output)
    let start = command.prefix.map { unnamed.removingLastComponent().appending($0).argument } ?? unnamed.argument + "-"
    // The numbers have leading zeros, so that the names sort in the order of the frames.
    let width = max(4, String(animation.frameCount - 1).count)
    return "\(start)\(String(index).padded(to: width, with: "0")).\(command.format.fileExtension)"
  }
}
