import ArgumentParser
import CommandSystem
import PureWebP

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "extract",
    abstract: "Writes the ICC profile, Exif, XMP, or frames as separate WebP files.",
    discussion: """
      The bytes are copied from the file without decoding.

      EXAMPLES
        webp extract icc image.webp -o profile.icc
        webp extract exif image.webp | exiftool -
        webp extract frame animation.webp --frame 3 -o 3.webp
        webp extract frame animation.webp --frame 0- -o frames/
      """)

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case icc, exif, xmp, frame

    /// Nil for frames.
    var metadata: WebP.Metadata.Kind? { WebP.Metadata.Kind.allCases.first { "\($0)" == rawValue } }
  }

  @Argument(help: ArgumentHelp("What to extract: icc, exif, xmp or frame.", valueName: "part"))
  var part: Part

  @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "in"), completion: .webPFile)
  var input: String

  @Option(
    help: ArgumentHelp(
      """
      The frame or frames, counted from 0 as by webp frames and in errors, such as 7 or 0,20-29. The default is 0. \
      (libwebp's webpmux counts from 1.)
      """, valueName: "n"))
  var frame: FrameSelection?

  @Option(
    name: .output,
    help: ArgumentHelp(
      "The file to write, or a folder (it exists, ends in /, or is for several frames). The default is -, a pipe.",
      valueName: "out"),
    completion: .file())
  var output = "-"

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(help: "Give the output the modification time of the input.")
  var keepTime = false

  func run() throws {
    let selection = frame ?? FrameSelection(0)
    let isSingle = part != .frame || selection.isSingle
    let destination = try Destination(output, hasSeveralOutputs: !isSingle, of: "extract")
    if !isSingle && output == "-" {
      throw UsageError(message: "several files cannot go to a pipe; name a folder with -o", subcommand: "extract")
    }
    try forEach([input]) { (input) throws(Failure) in
      let bytes = try readWebP(input)
      _ = try info(of: bytes, input)
      guard let kind = part.metadata else { return try writeFrames(selection, of: bytes, to: destination) }
      let data = WebP.metadata(bytes, limits: .unlimited)[kind] ?? []
      guard !data.isEmpty else { throw Failure(input, "the file has no \(part.rawValue)") }
      try write(data, to: destination, suffix: ".\(part.rawValue)")
    }
  }

  private func writeFrames(
    _ selection: FrameSelection, of bytes: [UInt8], to destination: Destination
  ) throws(Failure) {
    do {
      let animation = try WebP.Animation(bytes)
      for number in try selection.numbers(of: animation.frameCount, in: input) {
        let frame = try animation.file(ofFrame: number)
        try write(frame, to: destination, suffix: "-\(frameNumber(number, of: animation.frameCount)).webp")
      }
    } catch {
      throw readingFailure(input, error)
    }
  }

  /// Writes a part of the file.
  ///
  /// - Parameter suffix: the end of the output's name if -o names a folder.
  private func write(_ bytes: [UInt8], to destination: Destination, suffix: String) throws(Failure) {
    if output == "-" { try refuseTerminal(for: "\(part.rawValue) data", of: input) }
    let path = destination.namedPath ?? unnamedOutput(of: input, in: destination.folder).argument + suffix
    do {
      try writeFile(
        path, of: input, replacing: destination.namedPath != nil || force, makingFolder: destination.folder,
        keepsTime: keepTime
      ) { write in
        try write(ContiguousArray(bytes))
      }
    } catch {
      throw writingFailure(path, error)
    }
  }
}
