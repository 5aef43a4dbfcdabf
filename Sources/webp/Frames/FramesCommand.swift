import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

struct FramesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "frames",
    abstract: "Writes each frame of an animation, composed on its canvas.",
    discussion: """
      The files are called PREFIX0000.png, PREFIX0001.png and so on. Frames are counted from 0, as in errors and by \
      webp extract. A still image has one frame. Each file contains the color profile, but no other metadata.

      If a file is truncated or corrupt, the frames before the fault are written.

      EXAMPLES
        webp frames animation.webp                   animation-0000.png …
        webp frames --fit 320x320 *.webp -o out/     of several animations, scaled
        webp frames animation.webp --frame 0,20-29   some frames
        webp frames animation.webp --frame 7 -o 7.png
        webp frames animation.webp -f pam -o - | …   all frames, to a pipe
      """)

  @Argument(help: ArgumentHelp("The animations; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Option(
    name: .output,
    help: ArgumentHelp(
      "The folder to write to, which is created if it does not exist; with --frame N, a file. - is standard output.",
      valueName: "out"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("The beginning of the names, instead of the input's name and a hyphen."))
  var prefix: String?

  @Option(name: .format, help: "The file format, except pgm and yuv, which have planes. The default is png.")
  var givenFormat: WebP.FileFormat?

  @Option(help: .number("Write some frames, counted from 0, such as 7 or 0,20-29."))
  var frame: FrameSelection?

  @Flag(help: "Replace existing files.")
  var force = false

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @OptionGroup var image: ImageOptions

  @Option(help: .number("Stop when the files of an animation have more bytes. The default is 2^32."))
  var maxOutput: Int?

  @OptionGroup var resources: ResourceOptions

  func validate() throws {
    if let maxOutput, maxOutput < 0 { throw ValidationError("limits must be at least 0") }
  }

  /// The destination and the format of the frames. PAM and PPM files can follow each other in a pipe.
  private func outputs() throws(UsageError) -> (Destination, WebP.FileFormat) {
    if inputs.count > 1, prefix != nil {
      throw UsageError(message: "--prefix needs a single input", subcommand: "frames")
    }
    if image.boxes.count > 1 {
      throw UsageError(message: "several sizes are only for webp decode", subcommand: "frames")
    }
    let isSingle = inputs.count == 1 && frame?.isSingle == true
    let destination = try Destination(output, hasSeveralOutputs: !isSingle, of: "frames")
    let format = try destination.format(givenFormat, of: inputs[0], "frames")
    if format == .pgm || format == .yuv {
      throw UsageError(message: "canvases are composed as RGBA, and \(format) has planes", subcommand: "frames")
    }
    if output == "-" && !isSingle && ![.pam, .ppm].contains(format) {
      let advice = "use --format pam or ppm, or choose one frame with --frame"
      throw UsageError(message: "several \(format) files cannot go to a pipe; \(advice)", subcommand: "frames")
    }
    return (destination, format)
  }

  func run() throws {
    let (destination, format) = try outputs()
    var owners = OutputOwners(subcommand: "frames")
    let inputs = try inputs.filter { input in
      let name = unnamedOutput(of: input, in: destination.folder).argument
      return try destination.namedPath != nil
        || owners.add(input, output: "\(name)-0000.\(format.fileExtension)", advice: "-o names another folder")
    }
    try forEach(inputs) { (input) throws(Failure) in
      if output == "-" { try refuseTerminal(for: format.rawValue, of: input) }
      let bytes = try resources.readInput(input)
      let writer: FrameWriter
      do {
        writer = try FrameWriter(self, bytes, from: input, to: destination, as: format)
      } catch {
        throw readingFailure(input, error)
      }
      try writer.run()
    }
  }

  /// The maximum number of bytes of all files of an animation.
  var outputLimit: Int { maxOutput ?? (resources.noLimits ? .max : Int(clamping: 1 << 32 as Int64)) }
}
