import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

struct FramesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "frames",
    abstract: "Writes each frame of an animation, composed on its canvas.",
    discussion: """
      The files are called PREFIX0000.png, PREFIX0001.png and so on: frames are counted from 0, as in \
      errors and by webp extract. A still picture has one frame. Of metadata, each frame has the colour profile.

      EXAMPLES
        webp frames animation.webp                   animation-0000.png …
        webp frames animation.webp -o out/ -f pam    out/animation-0000.pam …
        webp frames animation.webp --only 7 -o -     one frame, to a pipe
        webp frames animation.webp --only 7 -o 7.png one frame, to a file
      """)

  @Argument(help: ArgumentHelp("The animation; - is standard input.", valueName: "in"), completion: .file())
  var input: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The folder to write to, which is made if it is not there; with --only, a file whose name tells its kind.",
      valueName: "out"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("How names begin, in place of the input's name and a hyphen."))
  var prefix: String?

  @Option(
    name: [.customShort("f"), .customLong("format")],
    help: "The kind of file, but for pgm and yuv, which have planes; png unless told.")
  var givenFormat: WebP.FileFormat?

  @Option(help: ArgumentHelp("Write one frame alone, counted from 0.", valueName: "n"))
  var only: Int?

  @OptionGroup var threads: ThreadOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Flag(help: "Replace files that are there already.")
  var force = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  private var format: WebP.FileFormat { givenFormat ?? singleFile.flatMap(\.namedFormat) ?? .png }

  /// What -o names if it is not a folder: with --only, a pipe, a device, or what is called as files are.
  private var singleFile: String? {
    guard let output, only != nil, output != "-", !output.endsInSlash else { return nil }
    return switch FileKind(output) {
    case .folder: nil
    case .nothing, .brokenLink, .file: output.namedFormat == nil ? nil : output
    case .other: output
    }
  }

  func validate() throws {
    if output == "-" && only == nil {
      throw ValidationError("Several files cannot go to a pipe; choose one with --only.")
    }
    if let output, output != "-", !output.endsInSlash, FileKind(output) == .nothing, !output.pathExtension.isEmpty {
      if only == nil, output.namedFormat != nil {
        throw ValidationError("\(output): frames go to a folder; choose one with --only, or write \(output)/")
      }
      if only != nil, output.namedFormat == nil {
        throw ValidationError("\(output): \(unknownKind); for a folder, write \(output)/")
      }
    }
    if format == .pgm || format == .yuv {
      throw ValidationError("Canvases are composed as RGBA: \(format) has planes.")
    }
  }

  func run() throws {
    try forEach([input]) { (_, input) throws(Failure) in
      if output == "-" { try refuseTerminal(for: format.rawValue, of: input) }
      let bytes = try limits.readInput(input)
      do {
        var options = WebP.DecodeOptions()
        options.threads = threads.value
        options.limits = limits.limits
        let animation = try WebP.Animation(bytes, options: options)
        if let only, !animation.frames.indices.contains(only) {
          throw Failure(input, noFrame(only, of: animation.frameCount))
        }
        if only == nil { try options.limits.check(allCanvasesOf: animation) }
        try write(animation)
      } catch let error as WebP.DecodeError {
        throw limits.failure(input, error)
      } catch let error as Failure {
        throw error
      } catch {
        throw Failure(writing: output ?? ".", "\(error)")
      }
    }
  }

  private func write(_ animation: WebP.Animation) throws {
    let metadata = profile(of: animation)
    guard let only else {
      var frames = animation.makeIterator()
      while let frame = try frames.nextFrame() {
        if !quiet { ProgressLine.show("\(frame.index + 1) of \(counted(animation.frameCount, "frame"))") }
        try write(frame, metadata)
      }
      return
    }
    try write(animation.frame(at: only), metadata)
  }

  /// What the colours of all frames mean. A small file may have many: together, the profiles that are written are no larger
  /// than the metadata of a file may be.
  private func profile(of animation: WebP.Animation) -> WebP.Metadata {
    var metadata = WebP.Metadata()
    let most = animation.options.limits.maximumMetadataBytes / (only == nil ? max(animation.frameCount, 1) : 1)
    if let icc = animation.metadata.icc, icc.count <= most { metadata.icc = icc }
    return metadata
  }

  private func write(_ frame: WebP.Animation.Frame, _ metadata: WebP.Metadata) throws {
    let named = output == "-" ? "-" : singleFile
    let path = named ?? path(ofFrame: frame.index)
    if named == nil && !force { try refuseToReplace(path, by: input) }
    do {
      var png = WebP.PNGOptions()
      png.threads = threads.value
      try writeOutput(path, makingFolder: named == nil ? output : nil) { sink in
        try frame.image.write(as: format, metadata: metadata, png: png, to: sink)
      }
    } catch {
      throw Failure(writing: path, "\(error)")
    }
  }

  private func path(ofFrame index: Int) -> String {
    let unnamed = unnamedOutput(of: input, in: output)
    let start = prefix.map { unnamed.folderPrefix + $0 } ?? unnamed + "-"
    return "\(start)\(String(index).padded(to: 4, with: "0")).\(format.fileExtension)"
  }
}
