import ArgumentParser
import PureWebP

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows size, alpha, animation, compression and metadata.",
    discussion: """
      Only the headers are read: that a file has them does not mean that it can be decoded.

      EXAMPLES
        webp info picture.webp
        webp info --json *.webp | jq '.[] | select(.animated) | .file'
      """)

  @Argument(help: ArgumentHelp("The files to look at; - is standard input.", valueName: "in"), completion: .file())
  var inputs: [String]

  @Flag(help: "One array of objects, for programs.")
  var json = false

  func run() throws {
    var reports: [FileReport] = []
    defer { if json { print(FileReport.json(reports)) } }
    try forEach(inputs) { (_, input) throws(Failure) in
      let bytes = try readInput(input)
      do throws(WebP.DecodeError) {
        let report = FileReport(
          path: input, byteCount: bytes.count, info: try WebP.info(bytes), metadata: WebP.metadata(bytes))
        if json { reports.append(report) } else { print(report) }
      } catch {
        throw Failure(input, error)
      }
    }
  }
}
