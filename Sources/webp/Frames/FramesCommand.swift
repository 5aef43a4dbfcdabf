import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

struct FramesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "frames",
    abstract: "Writes each frame of an animation, composed on its canvas.",
    discussion: """
      The files are called PREFIX0000.png, PREFIX0001.png and so on. Frames are counted from 0, as in errors and by webp \
      extract. A still image has one frame. Each file contains the color profile, but no other metadata.

      If a file is truncated or corrupt, the frames before the fault are written.

      EXAMPLES
        webp frames animation.webp                   animation-0000.png …
        webp frames animation.webp -o out/ -f pam    out/animation-0000.pam …
        webp frames --fit 320x320 *.webp -o out/     of several animations, scaled
        webp frames animation.webp --only 7 -o -     one frame, to a pipe
        webp frames animation.webp --only 7 -o 7.png one frame, to a file
      """)

  @Argument(help: ArgumentHelp("The animations; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp(
      "The folder to write to, which is created if it does not exist; with --only, a file, whose name specifies its format.",
      valueName: "out"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("The beginning of the names, instead of the input's name and a hyphen."))
  var prefix: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .customLong("format")],
    help: "The file format, except pgm and yuv, which have planes. The default is png.")
  var givenFormat: WebP.FileFormat?

  @Option(help: ArgumentHelp("Write a single frame, counted from 0.", valueName: "n"))
  var only: Int?

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @OptionGroup var geometry: GeometryOptions
  @OptionGroup var threads: ThreadOptions

  @Option(
    help: ArgumentHelp("Stop when the files of an animation have more bytes. The default is 2^32.", valueName: "n"))
  var maxOutput: Int?

  @OptionGroup var limits: LimitOptions

  var format: WebP.FileFormat { givenFormat ?? singleFile.flatMap(\.namedFormat) ?? .png }

  /// The operand of -o if it names a file rather than a folder. This is possible only with --only. A file is a pipe, a
  /// device, or a name with a known extension.
  var singleFile: String? {
    guard let output, only != nil, output != "-", !output.endsInSlash else { return nil }
    return switch FileKind(output) {
    case .folder: nil
    case .nothing, .brokenLink, .file: output.namedFormat == nil ? nil : output
    case .other: output
    }
  }

  func validate() throws {
    if output == "-" && only == nil {
      throw ValidationError("several files cannot go to a pipe; choose one with --only")
    }
    if let output, output != "-", !output.endsInSlash, FileKind(output) == .nothing, !output.pathExtension.isEmpty {
      if only == nil, output.namedFormat != nil {
        throw ValidationError("\(output): frames go to a folder; choose one with --only, or write \(output)/")
      }
      if only != nil, output.namedFormat == nil {
        throw ValidationError("\(output): \(unknownKind); for a folder, write \(output)/")
      }
    }
    if inputs.count > 1 {
      if output == "-" || singleFile != nil { throw ValidationError("several inputs need a folder to write to") }
      if prefix != nil { throw ValidationError("--prefix needs a single input") }
    }
    if let maxOutput, maxOutput < 0 { throw ValidationError("limits must be at least 0") }
    if format == .pgm || format == .yuv {
      throw ValidationError("canvases are composed as RGBA, and \(format) has planes")
    }
  }

  func run() throws {
    // The inputs, by the names of their outputs without frame number and extension.
    var writtenNames: [String: String] = [:]
    try forEach(inputs) { (_, input) throws(Failure) in
      if output == "-" { try refuseTerminal(for: format.rawValue, of: input) }
      let bytes = try limits.readInput(input)
      let name = unnamedOutput(of: input, in: output).argument
      if let other = writtenNames[name] {
        throw Failure(input, "\(name)-*.\(format.fileExtension) has been written from \(other)")
      }
      writtenNames[name] = input
      let writer: FrameWriter
      do throws(WebP.DecodeError) { writer = try FrameWriter(self, bytes, from: input) } catch {
        throw limits.failure(input, error)
      }
      try writer.run()
    }
  }

  var decodeOptions: WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.threads = threads.value
    options.limits = limits.limits
    return options
  }

  /// The maximum number of bytes of all files of an animation.
  var outputLimit: Int { maxOutput ?? (limits.noLimits ? .max : Int(clamping: 1 << 32 as Int64)) }
}
