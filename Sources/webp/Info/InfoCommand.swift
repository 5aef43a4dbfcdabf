import ArgumentParser
import CommandSystem
import PureWebP

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "info",
    abstract: "Shows size, compression, alpha, frames and metadata.",
    discussion: """
      Only the headers are read, so that a file without an error may still be corrupt; webp check decodes it. --chunks \
      checks the complete structure, as webpinfo does. If the program is called webpinfo, through a link, it behaves \
      as webpinfo. If a file is shorter than the size in its header, its properties are shown, and the exit code is 1.

      EXAMPLES
        webp info image.webp
        webp info --frames animation.webp
        webp info --exif photo.webp
        webp info -diag -bitstream_info image.webp
        webp info --json -r photos | jq '.[] | select(.animated) | .file'
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Flag(help: "Print a JSON array of objects. A file that cannot be read has an object with the member error.")
  var json = false

  @Flag(name: .shortAndLong, help: "List the WebP files in folders.")
  var recursive = false

  @Flag(help: "List the frames of animations.")
  var frames = false

  @Flag(help: "List the common Exif tags. --json always does.")
  var exif = false

  @Flag(help: "List the chunks, and check the structure.")
  var chunks = false

  @Flag(name: [.long, .customLong("diag", withSingleDash: true)], help: "Also list the faults.")
  var diagnosis = false

  @Flag(
    name: [.long, .customLong("bitstream_info", withSingleDash: true)],
    help: "Also list the fields of the bitstream headers.")
  var bitstreamInfo = false

  @Flag(name: [.long, .customLong("summary", withSingleDash: true)], help: "Also count the chunks of each kind.")
  var summary = false

  func validate() throws {
    if json && listsChunks { throw ValidationError("--json cannot be combined with --chunks") }
    if (frames || exif) && (json || listsChunks) {
      let option = frames ? "--frames" : "--exif"
      throw ValidationError("\(option) cannot be combined with --json, which lists the same, or --chunks")
    }
  }

  private var listsChunks: Bool { chunks || diagnosis || bitstreamInfo || summary }

  func run() throws {
    let inputs = inputFiles(inputs, recursive: recursive, verb: "lists")
    var objects: [String] = []
    var output = BufferedOutput()
    let outcome = Result {
      try forEach(inputs) { (input) throws(Failure) in
        do throws(Failure) {
          let path = try input.get().path
          try listsChunks ? listChunks(of: path, &output) : show(path, &output, &objects)
        } catch {
          // The output so far is written before the error.
          try output.flush()
          throw error
        }
      }
    }
    // The reports are printed even if other files could not be read.
    do throws(Failure) {
      if json { try output.append(jsonArray(objects)) }
      try output.flush()
    } catch {
      throw reported(error)
    }
    try outcome.get()
  }

  /// Shows the properties of a file, or adds them to the JSON objects.
  private func show(_ path: String, _ output: inout BufferedOutput, _ objects: inout [String]) throws(Failure) {
    let report: FileReport
    do throws(Failure) {
      let bytes = try readWebP(path)
      do throws(WebP.DecodeError) { report = try FileReport(bytes, path: path) } catch { throw Failure(path, error) }
    } catch {
      if json { objects.append(jsonObject(ofFailure: error, file: path)) }
      throw error
    }
    if json {
      objects.append(report.json)
    } else {
      try output.append(
        lines: ["\(report)"] + (frames ? report.frameTable : []) + (exif ? report.tagTable : []))
    }
    if let truncation = report.truncation { throw Failure(path, truncation) }
  }

  private func listChunks(of path: String, _ output: inout BufferedOutput) throws(Failure) {
    let bytes = try readInput(path, limit: WebP.Limits().maximumBytes)
    var analysis = FileAnalysis(bytes, .init(describesStreams: bitstreamInfo, summarizes: summary))
    try output.append(lines: ["File: \(path)"])
    while analysis.advance() { try output.append(lines: analysis.lines + (diagnosis ? analysis.findings : [])) }
    try output.append(lines: analysis.verdict)
    if let finding = analysis.findings.last, !analysis.isSound { throw Failure(path, finding) }
  }
}
