import ArgumentParser
import ConformanceSupport
import Foundation

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Compares every vector with the references, or other files with a table.")

  @Argument(help: "Files, and folders whose *.webp files are taken, also from subfolders. Default: the vectors.")
  var paths: [String] = []

  @Option(
    help: ArgumentHelp("Compare with a table like references/vectors.tsv, by the files' names.", valueName: "file"))
  var table: String?

  @OptionGroup var verbosity: Verbosity

  func validate() throws {
    if table != nil, paths.isEmpty { throw ValidationError("--table needs files to compare") }
  }

  func run() throws {
    if paths.isEmpty { return try checkVectors() }
    let files = try FileArguments.files(paths)
    if let table { try check(files, table: table) } else { try show(files) }
  }

  /// Compares the vectors with all references, and libwebp-test-data if it is available.
  private func checkVectors() throws {
    var tallies: [Tally] = []
    func check(
      _ what: String, _ lines: [some TableLine], read: (String) throws -> [UInt8] = Conformance.vector
    ) throws {
      var tally = Tally(quiet: verbosity.quiet)
      for line in lines { tally.note(line.file, line.differences(of: try read(line.file))) }
      tally.finish(what)
      tallies.append(tally)
    }
    try check("vectors", try Conformance.table("vectors.tsv", of: Reference.self))
    try check("vectors cut at every byte", try Conformance.table("prefixes.tsv", of: TruncationCases.self))
    try check("corrupted vectors", try Conformance.table("damage.tsv", of: DamageCases.self))
    try check("vectors with options", try Conformance.table("options.tsv", of: OptionCase.self))
    try check("finished rows of incomplete files", try Conformance.table("incremental.tsv", of: IncrementalRows.self))
    try check("animations", try Conformance.table("animations.tsv", of: AnimationReference.self))
    if let folder = Conformance.testData {
      try check("libwebp-test-data", try Conformance.table("libwebp-test-data.tsv", of: Reference.self)) {
        try Conformance.read(folder.appendingPathComponent($0))
      }
    } else if ProcessInfo.processInfo.environment["WEBP_TEST_DATA"] != nil {
      throw ValidationError("the folder in WEBP_TEST_DATA does not exist")
    } else {
      say("libwebp-test-data not found; it is not compared")
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

  /// Prints the verdicts without a comparison.
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
