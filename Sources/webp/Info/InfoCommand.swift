import ArgumentParser
import CommandSystem
import PureWebP

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "info",
    abstract: "Shows size, compression, alpha, frames and metadata.",
    discussion: """
      Only the headers are read, so that a file without an error may still be corrupt; webp check decodes it. --chunks \
      checks the complete structure. If a file is shorter than the size in its header, its properties are shown, and \
      the exit code is 1.

      EXAMPLES
        webp info --frames animation.webp
        webp info --exif photo.webp
        webp info --json -r photos | jq '.[] | select(.animated) | .file'
      """)

  @OptionGroup var inputs: InputOptions

  @OptionGroup var format: JSONOptions

  @Flag(help: "List the frames of animations. JSON always does.")
  var frames = false

  @Flag(help: "List the common Exif tags. JSON always does.")
  var exif = false

  @Flag(help: "List the chunks, and check the structure.")
  var chunks = false

  @Flag(help: "Also list warnings.")
  var diagnosis = false

  @Flag(help: "Also count the chunks of each kind.")
  var summary = false

  func validate() throws {
    if listsChunks && (frames || exif || format.output != nil) {
      throw ValidationError("--chunks cannot be combined with --frames, --exif or JSON")
    }
  }

  private var listsChunks: Bool { chunks || diagnosis || summary }

  mutating func run() throws {
    let (found, otherFiles) = try inputs.find(for: "info", verb: "lists")
    var json = format.output
    let outcome = Result {
      try forEach(found) { (input) throws(Failure) in
        try listsChunks ? listChunks(of: input.get().path) : show(input, &json)
      }
    }
    // The reports are complete even if other files could not be read.
    do throws(Failure) { try json?.finish() } catch { throw reported(error) }
    if let note = inputs.note(on: otherFiles) { printError(note) }
    try outcome.get()
  }

  /// Shows the properties of a file as text or as JSON.
  private func show(_ input: Result<InputPath, Failure>, _ json: inout JSONOutput?) throws(Failure) {
    let report: FileReport
    do throws(Failure) { report = try FileReport(input.get().path) } catch {
      try json?.append(jsonObject(ofFile: (try? input.get().path) ?? error.path, error))
      throw error
    }
    if json == nil { try print(["\(report)"] + (frames ? report.frameTable : []) + (exif ? report.tagTable : [])) }
    try json?.append(report.json)
    if let truncation = report.truncation { throw truncation }
  }

  private func listChunks(of path: String) throws(Failure) {
    let bytes = try readInput(path, limit: WebP.Limits().maximumBytes)
    var structure = FileStructure(bytes, showsWarnings: diagnosis)
    try print(["\(path):"])
    while structure.advance() { try print(structure.lines) }
    if summary { try print(["  chunks: \(structure.summary)"]) }
    if let fault = structure.fault { throw Failure(path, fault.text, kind: "corrupt") }
    let warnings = structure.warningCount
    let advice = warnings > 0 ? ", \(counted(warnings, "warning"))\(diagnosis ? "" : " (--diagnosis lists them)")" : ""
    try print(["  valid structure\(advice)"])
  }

  private func print(_ lines: [String]) throws(Failure) {
    do { try printOutput(lines: lines) } catch { throw Failure(writing: "-", error) }
  }
}
