import ArgumentParser
import ConformanceSupport
import Foundation

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Every vector against the references; or any files, by themselves or against a table.")

  @Argument(help: "Files; of folders all *.webp, below them too. Without any: the vectors.")
  var paths: [String] = []

  @Option(
    help: ArgumentHelp("Compare with a table like references/vectors.tsv, by the files' names.", valueName: "file"))
  var table: String?

  @OptionGroup var verbosity: Verbosity

  func validate() throws {
    if table != nil, paths.isEmpty { throw ValidationError("Which files are to be compared with the table?") }
  }

  func run() throws {
    if paths.isEmpty { return try checkVectors() }
    let files = try FileArguments.files(paths)
    if let table { try check(files, table: table) } else { try show(files) }
  }

  /// The vectors against everything that is recorded of them, and libwebp-test-data where it is there.
  private func checkVectors() throws {
    var tallies: [Tally] = []
    func each<Line>(_ what: String, _ lines: [Line], _ differences: (Line) throws -> (String, [String])) rethrows {
      var tally = Tally(quiet: verbosity.quiet)
      for line in lines {
        let (file, found) = try differences(line)
        tally.note(file, found)
      }
      tally.finish(what)
      tallies.append(tally)
    }
    try each("vectors", try Conformance.references("vectors.tsv")) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    try each("vectors cut at every byte", try Conformance.table("prefixes.tsv").map(Cuts.init)) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    try each("vectors damaged", try Conformance.table("damage.tsv").map(DamageCases.init)) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    try each("vectors with options", try Conformance.table("options.tsv").map(OptionCase.init)) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    try each("rows shown while bytes come", try Conformance.table("incremental.tsv").map(ShownRows.init)) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    try each("animations", try Conformance.table("animations.tsv").map(AnimationReference.init)) {
      ($0.file, $0.differences(of: try Conformance.vector($0.file)))
    }
    if let folder = Conformance.testData {
      try each("libwebp-test-data", try Conformance.references("libwebp-test-data.tsv")) {
        ($0.file, $0.differences(of: try Conformance.read(folder.appendingPathComponent($0.file))))
      }
    }
    for tally in tallies { try tally.exit() }
  }

  private func check(_ files: [URL], table: String) throws {
    var tally = Tally(quiet: verbosity.quiet)
    let lines = try Conformance.references(at: FileArguments.existing(table))
    let references = Dictionary(lines.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
    for file in files {
      let bytes = try Conformance.read(file)
      tally.note(file.path, references[file.lastPathComponent]?.differences(of: bytes), "\(Verdict(bytes))")
    }
    tally.finish("\(files.count) files")
    try tally.exit()
  }

  /// Compared with nothing.
  private func show(_ files: [URL]) throws {
    var decoded = 0
    for file in files {
      let verdict = Verdict(try Conformance.read(file))
      if verdict.status == 0 { decoded += 1 }
      if !verbosity.quiet { say("\(file.path)\t\(verdict)") }
    }
    say("\(files.count) files: \(decoded) decoded, \(files.count - decoded) refused")
    if files.isEmpty { throw ExitCode.failure }
  }
}
