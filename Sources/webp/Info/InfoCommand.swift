import ArgumentParser
import CommandSystem
import PureWebP

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "info",
    abstract: "Shows size, compression, alpha, frames and metadata.",
    discussion: """
      Only the headers are read, so that a file without an error may still be corrupt. --chunks checks the complete \
      structure, as webpinfo does. If the program is called webpinfo, through a link, it behaves as webpinfo.

      EXAMPLES
        webp info image.webp
        webp info --frames animation.webp
        webp info -diag -bitstream_info image.webp
        webp info --json *.webp | jq '.[] | select(.animated) | .file'
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Flag(help: "Print a JSON array of objects.")
  var json = false

  @Flag(help: "List the frames of animations.")
  var frames = false

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
    if frames && (json || listsChunks) {
      throw ValidationError("--frames cannot be combined with --json, which lists the frames, or --chunks")
    }
  }

  private var listsChunks: Bool { chunks || diagnosis || bitstreamInfo || summary }

  func run() throws {
    guard !listsChunks else { return try listChunks() }
    var reports: [FileReport] = []
    let outcome = Result {
      try forEach(inputs) { (_, input) throws(Failure) in
        let report = try report(on: input)
        if json { reports.append(report) } else { try write(["\(report)"] + (frames ? report.frameTable : [])) }
      }
    }
    // The reports are printed even if other files could not be read.
    if json {
      do { try printOutput(FileReport.json(reports) + "\n") } catch {
        printError("\(Failure(writing: "-", error))")
        throw ExitCode.failure
      }
    }
    try outcome.get()
  }

  private func report(on input: String) throws(Failure) -> FileReport {
    let bytes = try readWebP(input)
    do throws(WebP.DecodeError) { return try FileReport(bytes, path: input) } catch { throw Failure(input, error) }
  }

  private func write(_ lines: [String]) throws(Failure) {
    do { try printOutput(lines: lines) } catch { throw Failure(writing: "-", error) }
  }

  private func listChunks() throws {
    try forEach(inputs) { (_, input) throws(Failure) in
      var analysis = FileAnalysis(
        try readInput(input, limit: WebP.Limits().maximumBytes), listsChunks: true, describesStreams: bitstreamInfo,
        summarizes: summary)
      try write(["File: \(input)"])
      while analysis.advance() { try write(analysis.lines + (diagnosis ? analysis.findings : [])) }
      try write(analysis.verdict)
      if let finding = analysis.findings.last, !analysis.isSound { throw Failure(input, finding) }
    }
  }
}
