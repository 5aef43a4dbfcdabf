import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

struct DecodeCommand: ParsableCommand, Sendable {
  static let configuration = CommandConfiguration(
    subcommand: "decode",
    abstract: "Writes images as PNG, PAM, PPM, PGM, BMP, TIFF or YUV, and animations as APNG.",
    discussion: """
      An animation becomes an APNG; in the other formats, its first frame. --still and --frame choose one frame in \
      every format.

      Without -o the output is next to the input: photo.webp becomes photo.png. An existing file is replaced only if \
      -o names it, or with --force. A file appears under its name when it is complete. Several files are decoded in \
      parallel.

      EXAMPLES
        webp decode photo.webp
        webp decode photo.webp -o photo.tiff
        webp decode -pam photo.webp -o - | pamtopng > photo.png
        webp decode --format bmp a.webp b.webp -o bitmaps/
        webp decode --fit 320x320 -r photos -o thumbnails
        webp decode --frame 7 animation.webp -o 7.png

      Options may be spelled as dwebp spells them: -pam, -nofancy, -quiet, -crop 8 8 640 480, -resize 320 0.
      """)

  @Argument(
    help: ArgumentHelp("The files to decode; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String] = []

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp(
      "Where to write: a file, a folder (it exists, ends in /, or is for several files), or - for standard output.",
      valueName: "out"),
    completion: .file())
  var output: String?

  @Option(
    name: [.customShort("f", allowingJoined: true), .customLong("format")],
    help: "The file format, if the output's name does not specify it.")
  var format: WebP.FileFormat?

  @Flag(exclusivity: .chooseLast, help: "The same, shorter.")
  var formatFlag: WebP.FileFormat?

  @Flag(help: "Replace existing files. Input files are never replaced.")
  var force = false

  @Flag(help: "Skip inputs whose outputs exist.")
  var skipExisting = false

  @Flag(name: .shortAndLong, help: "Decode the WebP files in folders. With -o, the folders are reproduced there.")
  var recursive = false

  @Flag(name: [.short, .long, .customLong("quiet", withSingleDash: true)], help: "Print only errors.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Print each output, with the time that it took.")
  var verbose = false

  @Option(help: ArgumentHelp("Write one frame of an animation as a still image, counted from 0.", valueName: "n"))
  var frame: Int?

  @Flag(help: "Write the first frame of an animation as a still image.")
  var still = false

  @Flag(help: "Write the finished rows, or the complete frames, of a truncated or corrupt file.")
  var partial = false

  @Flag(help: "Give the output the modification time of the input.")
  var keepTime = false

  @OptionGroup var geometry: GeometryOptions

  @Option(
    help: ArgumentHelp("PNG: zlib's level, 0 (fast) to 9 (small). The default depends on the image.", valueName: "n"))
  var level: Int?

  @Flag(help: "PNG: omit the ICC profile, Exif and XMP.")
  var noMetadata = false

  @Flag(
    name: [.long, .customLong("nofancy", withSingleDash: true)],
    help: "Repeat chroma samples instead of interpolating them.")
  var noFancy = false

  @Flag(
    name: [.long, .customLong("nofilter", withSingleDash: true)], help: "Skip the loop filter: blocks become visible.")
  var noFilter = false

  @Option(
    name: [.long, .customLong("dither", withSingleDash: true)],
    help: ArgumentHelp("Hide bands in smooth colors of a lossy image with noise: 0 to 100.", valueName: "strength"))
  var dither = 0

  @Flag(
    name: [.long, .customLong("alpha_dither", withSingleDash: true)], help: "Smooth alpha whose levels were reduced.")
  var alphaDither = false

  @OptionGroup var threads: ThreadOptions

  @OptionGroup var limits: LimitOptions

  @Flag(
    name: .customLong("nodither", withSingleDash: true),
    help: ArgumentHelp("Overrides --dither.", visibility: .hidden))
  var noDither = false

  @Flag(
    name: NameSpecification(["mt", "noasm", "incremental"].map { .customLong($0, withSingleDash: true) }),
    help: ArgumentHelp("Options of dwebp that have no effect.", visibility: .hidden))
  var ignored = false

  @Flag(name: .customLong("version", withSingleDash: true), help: ArgumentHelp(visibility: .hidden))
  var showsVersion = false

  func validate() throws {
    if let level, !(0...9 ~= level) { throw ValidationError("--level must be from 0 to 9") }
    if !(0...100 ~= dither) { throw ValidationError("--dither must be from 0 to 100") }
    if let frame, frame < 0 { throw ValidationError("--frame must be at least 0") }
    if still && frame != nil { throw ValidationError("--still cannot be combined with --frame") }
  }

  mutating func run() throws {
    if showsVersion { throw CleanExit.message(WebPCommand.configuration.version) }
    try takeOutputOperand()
    try checkOperands()
    let destination = try Destination(output, hasSeveralOutputs: hasSeveralOutputs, of: "decode")
    let format = try destination.format(format ?? formatFlag, of: inputs[0], "decode")
    var result = DecodeResult()
    let inputs = findInputs(&result)
    let plan = plan(inputs, to: destination, as: format, &result)
    reportExisting(plan, &result)
    let (written, failed) = run(plan.jobs, result)
    if inputs.count > 1 && !quiet && (failed > 0 || FileDescriptor.standardError.isTerminal) {
      let skipped = skipExisting && !plan.existing.isEmpty ? ", \(plan.existing.count) skipped" : ""
      printError("\(written) written\(skipped), \(failed) failed")
    }
    if failed > 0 { throw ExitCode.failure }
  }

  /// Indicates whether the number of outputs may be other than one.
  private var hasSeveralOutputs: Bool { inputs.count > 1 || inputs.contains { $0 != "-" && isFolder($0) } }

  /// Takes the second of two operands for the output if it is a new name that specifies a format: `a.webp b.png`.
  private mutating func takeOutputOperand() throws {
    guard inputs.count == 2, output == nil, inputs[1].namedFormat != nil else { return }
    if FileKind(inputs[1]) == .nothing {
      output = inputs.removeLast()
    } else if (try? checkIsWebP(inputs[1])) == nil {
      let advice = "to replace it, use -o \(inputs[1])"
      throw UsageError(message: "\(inputs[1]) exists already, and is not WebP; \(advice)", subcommand: "decode")
    }
  }

  /// The message for a last operand that appears to be meant as the output, although all operands are inputs.
  private var misplacedOutput: String? {
    guard inputs.count > 1, output == nil, let last = inputs.last else { return nil }
    if last.endsInSlash && !recursive { return "\(last) is a folder. To write to it, use -o \(last)" }
    let isOtherFormat = !["", "webp"].contains(last.pathExtension.lowercased())
    guard inputs.count == 2, isOtherFormat, FileKind(last) == .nothing else { return nil }
    return "there is no input \(unwritable(last, of: inputs[0]))"
  }

  /// Checks the operands before anything is written.
  ///
  /// `validate` is too early for these checks. ArgumentParser calls it before it reports unknown options. At that time,
  /// the operand of an unknown option is among the inputs.
  private func checkOperands() throws {
    func invalid(_ message: String) -> UsageError { UsageError(message: message, subcommand: "decode") }
    if inputs.isEmpty { throw invalid("no input; name a file, or - for standard input") }
    if quiet, let number = inputs.first(where: { Double($0) != nil && FileKind($0) == .nothing }) {
      throw invalid("\(number) does not exist. -q is --quiet; a quality is for encoders, and webp does not encode")
    }
    if inputs.count > 1, let missing = inputs.first(where: { $0.namedFormat != nil && FileKind($0) == .nothing }) {
      throw invalid("\(missing) does not exist. To write to it, use -o \(missing)")
    }
    if let misplacedOutput { throw invalid(misplacedOutput) }
    if output == "-" && hasSeveralOutputs {
      throw invalid("several files cannot go to a pipe; name a folder with -o")
    }
  }
}
