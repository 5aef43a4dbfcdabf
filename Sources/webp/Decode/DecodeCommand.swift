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
        webp decode -f pam photo.webp -o - | pamtopng > photo.png
        webp decode --fit 320x320 -r photos -o thumbnails
        webp decode --frame 7 animation.webp -o 7.png
        webp decode --fit 320,640 *.webp -o 'out/{name}-{width}.png'
      """)

  @OptionGroup var inputs: InputOptions

  @Option(
    name: .output,
    help: ArgumentHelp(
      """
      Where to write: a file, a folder (it exists, ends in /, or is for several files), or - for standard output. In a \
      path, {name} and {folder} stand for the input's name and its folder, or its folder within the folder that -r \
      searches, and {width} and {height} for the sides of the output.
      """,
      valueName: "out"),
    completion: .file())
  var output: String?

  @Option(
    name: .format,
    help: """
      The file format, if the output's name does not specify it: png, which is the default; pam (RGBA), ppm (RGB), bmp \
      or tiff, uncompressed; pgm, the planes in one gray image: Y, then U beside V, then A; yuv, the planes without a \
      header; alpha, the alpha plane as PGM.
      """)
  var format: WebP.FileFormat?

  @Flag(help: "Replace existing files. Input files are never replaced.")
  var force = false

  @Flag(help: "Skip inputs whose outputs exist, even if -o names the output.")
  var skipExisting = false

  @Flag(help: "Skip inputs whose outputs are at least as new. Replace older outputs.")
  var update = false

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print each output, with the time that it took.")
  var verbose = false

  @Option(help: .number("Write one frame of an animation as a still image, counted from 0."))
  var frame: Int?

  @Flag(help: "Write the first frame of an animation as a still image.")
  var still = false

  @Flag(help: "Write the finished rows, or the complete frames, of a truncated or corrupt file.")
  var partial = false

  @OptionGroup var image: ImageOptions

  @Option(help: .number("PNG: zlib's level, 0 (fast) to 9 (small). The default depends on the image."))
  var level: Int?

  @Option(
    help: ArgumentHelp(
      "PNG and TIFF: The metadata to store, of icc, exif and xmp, such as icc,exif, or all, which is the default.",
      valueName: "kinds"))
  var metadata: MetadataKinds?

  @Flag(help: "PNG and TIFF: omit the ICC profile, Exif and XMP.")
  var noMetadata = false

  @Flag(help: "Repeat chroma samples instead of interpolating them.")
  var noFancy = false

  @Flag(help: "Skip the loop filter: blocks become visible.")
  var noFilter = false

  @Option(
    help: ArgumentHelp("Hide bands in smooth colors of a lossy image with noise: 0 to 100.", valueName: "strength"))
  var dither: Int?

  @Flag(help: "Smooth alpha whose levels were reduced.")
  var alphaDither = false

  @OptionGroup var json: JSONOptions

  @OptionGroup var resources: ResourceOptions

  func validate() throws {
    if let level, !(0...9 ~= level) { throw ValidationError("--level must be from 0 to 9") }
    if let dither, !(0...100 ~= dither) { throw ValidationError("--dither must be from 0 to 100") }
    if let frame, frame < 0 { throw ValidationError("--frame must be at least 0") }
    let existing = [("--force", force), ("--skip-existing", skipExisting), ("--update", update)].filter(\.1).map(\.0)
    if existing.count > 1 { throw ValidationError("\(existing[0]) cannot be combined with \(existing[1])") }
    if noMetadata && metadata != nil { throw ValidationError("--metadata cannot be combined with --no-metadata") }
    if still && frame != nil { throw ValidationError("--still cannot be combined with --frame") }
  }

  mutating func run() throws {
    try takeOutputOperand()
    try checkOperands()
    let destination = try destination
    let format = try destination.format(format, of: operands.first ?? "", "decode")
    if image.background != nil, [.pgm, .yuv, .alphaPGM].contains(format) {
      throw UsageError(message: "--background needs a format of colors; \(format) has planes", subcommand: "decode")
    }
    let (found, otherFiles) = try inputs.find(for: "decode", verb: "decodes")
    var plan = try plan(found, to: destination, as: format)
    addExisting(to: &plan)
    let (report, notBegun) = try run(plan)
    let isBatch = operands.count > 1 || found.count > 1
    if isBatch && !quiet && (report.failed + notBegun > 0 || FileDescriptor.standardError.isTerminal) {
      var counts = ["\(report.written) written"]
      if skipsOutputs && !plan.existing.isEmpty { counts.append("\(plan.existing.count) skipped") }
      counts.append("\(report.failed) failed")
      if notBegun > 0 { counts.append("\(notBegun) not begun") }
      printError(counts.joined(separator: ", "))
    }
    if !quiet, let note = inputs.note(on: otherFiles) { printError(note) }
    if report.exitCode > 0 { throw ExitCode(report.exitCode) }
  }

  var operands: [String] { inputs.operands }

  private var destination: Destination {
    get throws {
      let pattern = try output.flatMap { (text) throws(UsageError) in try NamePattern(text) }
      if image.boxes.count > 1, pattern?.hasSize != true {
        let message = "several sizes need {width} or {height} in the name, such as -o '{name}-{width}.png'"
        throw UsageError(message: message, subcommand: "decode")
      }
      if let pattern { return .pattern(pattern) }
      return try Destination(output, hasSeveralOutputs: hasSeveralOutputs, of: "decode")
    }
  }

  /// The options that do not depend on the input.
  var options: WebP.DecodeOptions {
    WebP.DecodeOptions(
      upsampling: noFancy ? .nearest : .fancy, bypassesLoopFilter: noFilter, dithering: dither ?? 0,
      alphaSmoothing: alphaDither ? 100 : 0, background: image.background?.color, threads: resources.threadCount,
      limits: resources.limits)
  }

  /// The kinds of metadata that are stored.
  var metadataKinds: [WebP.Metadata.Kind] {
    noMetadata ? [] : metadata?.kinds ?? WebP.Metadata.Kind.allCases
  }

  /// Returns the metadata that is stored, of all metadata.
  func storedMetadata(_ metadata: WebP.Metadata) -> WebP.Metadata {
    var stored = WebP.Metadata()
    for kind in metadataKinds { stored[kind] = metadata[kind] }
    // No output stores these chunks, but their loss is reported, unless a selection is requested.
    if metadataKinds.count == WebP.Metadata.Kind.allCases.count { stored.unknown = metadata.unknown }
    return stored
  }

  /// Indicates whether existing outputs are skipped instead of reported.
  var skipsOutputs: Bool { skipExisting || update }

  /// Indicates whether the number of outputs may be other than one.
  private var hasSeveralOutputs: Bool {
    operands.count > 1 || inputs.filesFrom != nil || operands.contains { $0 != "-" && isFolder($0) }
  }

  /// Takes the second of two operands for the output if it is a new name that specifies a format: `a.webp b.png`.
  private mutating func takeOutputOperand() throws {
    guard operands.count == 2, output == nil, operands[1].namedFormat != nil else { return }
    if FileKind(operands[1]) == .nothing {
      output = inputs.operands.removeLast()
    } else if (try? checkIsWebP(operands[1])) == nil {
      let advice = "to replace it, use \(option(operands[1]))"
      throw UsageError(message: "\(operands[1]) exists already, and is not WebP; \(advice)", subcommand: "decode")
    }
  }

  /// Describes -o with its value. After `--`, words are operands, even if they begin with a dash.
  private func option(_ output: String) -> String {
    "-o \(output.quoted)" + (commandLineWords.dropFirst().contains("--") ? " before the --" : "")
  }

  /// The message for a last operand that appears to be meant as the output, although all operands are inputs.
  private var misplacedOutput: String? {
    guard operands.count > 1, output == nil, let last = operands.last else { return nil }
    if last.endsInSlash && !inputs.recursive { return "\(last) is a folder. To write to it, use \(option(last))" }
    let isOtherFormat = !["", "webp"].contains(last.pathExtension.lowercased())
    guard operands.count == 2, isOtherFormat, FileKind(last) == .nothing else { return nil }
    return unwritable(last, of: operands[0])
  }

  /// Checks the operands before anything is written.
  ///
  /// `validate` is too early for these checks. ArgumentParser calls it before it reports unknown options. At that time,
  /// the operand of an unknown option is among the inputs.
  private func checkOperands() throws {
    func invalid(_ message: String) -> UsageError { UsageError(message: message, subcommand: "decode") }
    if quiet, let number = operands.first(where: { Double($0) != nil && FileKind($0) == .nothing }) {
      throw invalid("\(number) does not exist. -q is --quiet; a quality is for encoders, and webp does not encode")
    }
    if operands.count > 1,
      let missing = operands.first(where: { $0.namedFormat != nil && FileKind($0) == .nothing })
    {
      throw invalid("\(missing) does not exist. To write to it, use \(option(missing))")
    }
    if let misplacedOutput { throw invalid(misplacedOutput) }
    if output == "-" && hasSeveralOutputs {
      throw invalid("several files cannot go to a pipe; name a folder with -o")
    }
    if json.output != nil && (output == "-" || output == nil && operands.contains("-")) {
      throw invalid("standard output cannot have both an image and JSON")
    }
  }
}
