import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Writes pictures as PNG, PAM, PPM, PGM, BMP, TIFF or YUV, animations as APNG.",
    discussion: """
      An animation becomes an APNG; in the other formats, its first frame. --still and --frame choose one frame in every \
      format.

      Without -o the output lies beside the input: picture.webp becomes picture.png. Files that are there already are \
      only replaced if -o names them, or with --force. Under its name a file appears when it is whole, and not before; \
      but one that another cannot take the place of, such as one with several names, is written over.

      EXAMPLES
        webp decode picture.webp
        webp decode picture.webp -o picture.tiff
        webp decode -pam picture.webp -o - | pamtopng > picture.png
        webp decode --format bmp a.webp b.webp -o bitmaps/
        webp decode --fit 320x320 *.webp -o thumbnails/
        webp decode --frame 7 animation.webp -o 7.png

      Options may be spelled as dwebp spells them: -pam, -nofancy, -quiet, -crop 8 8 640 480, -resize 320 0.
      """)

  @Argument(help: ArgumentHelp("The files to decode; - is standard input.", valueName: "in"), completion: .file())
  var inputs: [String] = []

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "Where to write: a file, a folder (it exists, or ends in /), or - for standard output.", valueName: "out"),
    completion: .file())
  var output: String?

  @Option(name: .shortAndLong, help: "The kind of file, if the output's name does not tell.")
  var format: WebP.FileFormat?

  @Flag(exclusivity: .chooseLast, help: "The same, shorter.")
  var formatFlag: WebP.FileFormat?

  @Flag(name: [.long, .customLong("nofancy", withSingleDash: true)], help: "Spread chroma fast, not smoothly.")
  var noFancy = false

  @Flag(
    name: [.long, .customLong("nofilter", withSingleDash: true)], help: "Leave out the loop filter: visible blocks.")
  var noFilter = false

  @Option(
    name: [.long, .customLong("dither", withSingleDash: true)],
    help: ArgumentHelp("Hide bands in smooth colours of a lossy picture with noise: 0 to 100.", valueName: "strength"))
  var dither = 0

  @Flag(
    name: [.long, .customLong("alpha_dither", withSingleDash: true)], help: "Smooth alpha whose levels were reduced.")
  var alphaDither = false

  @OptionGroup(title: "Geometry") var geometry: GeometryOptions

  @Flag(help: "Write the first frame of an animation as a still image.")
  var still = false

  @Option(help: ArgumentHelp("Write one frame of an animation as a still image, counted from 0.", valueName: "n"))
  var frame: Int?

  @Flag(help: "Write the finished rows, or the complete frames, of a truncated or corrupt file.")
  var partial = false

  @Option(help: ArgumentHelp("PNG: zlib's level, 0 (fast) to 9 (small), instead of what suits the picture."))
  var level: Int?

  @OptionGroup var threads: ThreadOptions

  @Flag(help: "PNG: leave ICC profile, Exif and XMP out.")
  var noMetadata = false

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Flag(help: "Replace files that are there already.")
  var force = false

  @Flag(name: [.short, .long, .customLong("quiet", withSingleDash: true)], help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Say what is written, and how long it took.")
  var verbose = false

  @Flag(
    name: .customLong("nodither", withSingleDash: true),
    help: ArgumentHelp("None, whatever --dither says.", visibility: .hidden))
  var noDither = false

  @Flag(
    name: NameSpecification(["mt", "noasm", "incremental"].map { .customLong($0, withSingleDash: true) }),
    help: ArgumentHelp("Taken for dwebp's sake; they change nothing.", visibility: .hidden))
  var ignored = false

  @Flag(name: .customLong("version", withSingleDash: true), help: ArgumentHelp(visibility: .hidden))
  var showsVersion = false

  func validate() throws {
    if inputs.isEmpty && !showsVersion { throw ValidationError("Which files? Name one, or - for standard input.") }
    if let level, !(0...9 ~= level) { throw ValidationError("--level is 0 to 9.") }
    if !(0...100 ~= dither) { throw ValidationError("--dither is 0 to 100.") }
    if let frame, frame < 0 { throw ValidationError("--frame must be at least 0") }
    if still && frame != nil { throw ValidationError("--still cannot be combined with --frame") }
  }

  func run() throws {
    if showsVersion { throw CleanExit.message(WebPCommand.configuration.version) }
    // Not in validate, which is asked before unknown options are told: what follows one is an input there.
    if inputs.count > 1, let output, FileKind(output) != .folder, !output.endsInSlash {
      let advice =
        output == "-" ? "cannot go to a pipe; name a folder with -o." : "need a folder to go to: -o \(output)/"
      printError("Error: Several files \(advice)")
      printError("See 'webp decode --help' for more information.")
      throw ExitCode.validationFailure
    }
    var destination = Destination(output: output, format: format ?? formatFlag, replaces: force)
    try forEach(inputs) { (index, input) throws(Failure) in
      if inputs.count > 1 && !quiet && !verbose { ProgressLine.show("\(index + 1) of \(inputs.count): \(input)") }
      try decode(input, to: &destination)
    }
  }
}
