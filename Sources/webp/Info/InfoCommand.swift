import ArgumentParser
import CommandSystem
import PureWebP

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows size, compression, alpha, frames and metadata.",
    discussion: """
      Only the headers are read: that a file has them does not mean that it can be decoded. With --chunks, the whole \
      structure is checked, as webpinfo does; called webpinfo, through a link, the program is webpinfo.

      EXAMPLES
        webp info picture.webp
        webp info -diag -bitstream_info picture.webp
        webp info --json *.webp | jq '.[] | select(.animated) | .file'
      """)

  @Argument(help: ArgumentHelp("The files to look at; - is standard input.", valueName: "in"), completion: .file())
  var inputs: [String]

  @Flag(help: "One array of objects, for programs.")
  var json = false

  @Flag(help: "List the chunks, and say whether they fit together.")
  var chunks = false

  @Flag(name: [.long, .customLong("diag", withSingleDash: true)], help: "… and what is wrong.")
  var diagnosis = false

  @Flag(
    name: [.long, .customLong("bitstream_info", withSingleDash: true)],
    help: "… and the headers of the pictures' streams.")
  var bitstreamInfo = false

  @Flag(name: [.long, .customLong("summary", withSingleDash: true)], help: "… and how many there are of each kind.")
  var summary = false

  func validate() throws {
    if json && listsChunks { throw ValidationError("--json has no chunks.") }
  }

  private var listsChunks: Bool { chunks || diagnosis || bitstreamInfo || summary }

  func run() throws {
    guard !listsChunks else { return try listChunks() }
    var reports: [FileReport] = []
    let outcome = Result {
      try forEach(inputs) { (_, input) throws(Failure) in
        let report = try report(on: input)
        if json { reports.append(report) } else { try write(["\(report)"]) }
      }
    }
    // Of those files that have one, whatever the others are like.
    if json {
      do throws(SystemError) { try printOutput(FileReport.json(reports) + "\n") } catch {
        printError("\(Failure(writing: "-", error))")
        throw ExitCode.failure
      }
    }
    try outcome.get()
  }

  private func report(on input: String) throws(Failure) -> FileReport {
    let bytes = try readInput(input)
    do throws(WebP.DecodeError) { return try FileReport(bytes, path: input) } catch { throw Failure(input, error) }
  }

  private func write(_ lines: [String]) throws(Failure) {
    do throws(SystemError) { try printOutput(lines: lines) } catch { throw Failure(writing: "-", error) }
  }

  private func listChunks() throws {
    try forEach(inputs) { (_, input) throws(Failure) in
      var analysis = FileAnalysis(
        try readInput(input), listsChunks: true, describesStreams: bitstreamInfo, summarizes: summary)
      try write(["File: \(input)"])
      while analysis.advance() { try write(analysis.lines + (diagnosis ? analysis.findings : [])) }
      try write(analysis.verdict)
      if let finding = analysis.findings.last, !analysis.isSound { throw Failure(input, finding) }
    }
  }
}
