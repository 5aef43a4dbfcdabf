import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

@main
struct ConformanceCommand {
  static func main() {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      exit(try run(arguments) ? 0 : 1)
    } catch let error as Misuse {
      say("\(error.description)\n\n\(usage)")
      exit(2)
    } catch {
      say(error.localizedDescription)
      exit(1)
    }
  }

  /// - Returns: whether all is as it must be.
  static func run(_ arguments: Arguments) throws -> Bool {
    let tally = Tally(quiet: arguments.isQuiet)
    switch arguments.job {
    case .help:
      say(usage)
      return true
    case .recorded: return try recorded(tally)
    case .show(let paths): return try show(try files(paths), tally)
    case .table(let table, let paths): return try check(try files(paths), table: table, tally)
    case .libwebp(let library, let paths, let damage):
      return try check(try files(paths), try Comparison(loading: library), damage: damage, tally)
    case .generated(let numbers, let library):
      return check(generated: numbers, try Comparison(loading: library), tally)
    case .endurance(let count): return try Endurance.run(count)
    case .load(let paths): return try Load.run(try files(paths))
    }
  }

  /// The vectors against everything that is recorded of them, and libwebp-test-data where it is there.
  static func recorded(_ blank: Tally) throws -> Bool {
    var tallies: [Tally] = []
    func each<Line>(_ what: String, _ lines: [Line], _ differences: (Line) throws -> (String, [String])) rethrows {
      var tally = blank
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
    return tallies.allSatisfy { $0.holds }
  }

  /// Any files against libwebp, and damaged forms of them.
  static func check(
    _ files: [URL], _ comparison: Comparison, damage: Range<Int>, _ blank: Tally
  ) throws -> Bool {
    var tally = blank
    for file in files {
      let bytes = try Conformance.read(file)
      tally.note(file.path, comparison.differences(bytes, limits: WebP.Limits()), "\(Verdict(bytes))")
      for number in damage {
        let damaged = Damage.number(number, of: bytes)
        let found = comparison.differences(damaged, limits: WebP.DecodeOptions.damaged.limits, cuts: number)
        tally.note("\(file.path) damage \(number)", found, "\(Verdict(damaged, options: .damaged))")
      }
    }
    tally.finish("\(files.count) files")
    return tally.holds
  }

  /// Any files against a table.
  static func check(_ files: [URL], table: String, _ blank: Tally) throws -> Bool {
    var tally = blank
    let lines = try Conformance.references(at: existing(table))
    let references = Dictionary(lines.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
    for file in files {
      let bytes = try Conformance.read(file)
      tally.note(file.path, references[file.lastPathComponent]?.differences(of: bytes), "\(Verdict(bytes))")
    }
    tally.finish("\(files.count) files")
    return tally.holds
  }

  /// Any files, compared with nothing.
  ///
  /// - Returns: whether there are any.
  static func show(_ files: [URL], _ tally: Tally) throws -> Bool {
    var decoded = 0
    for file in files {
      let verdict = Verdict(try Conformance.read(file))
      if verdict.status == 0 { decoded += 1 }
      if !tally.quiet { say("\(file.path)\t\(verdict)") }
    }
    say("\(files.count) files: \(decoded) decoded, \(files.count - decoded) refused")
    return !files.isEmpty
  }

  /// Files that are written from seeded choices, against libwebp. Those that differ are left in the working directory.
  static func check(generated: Range<Int>, _ comparison: Comparison, _ blank: Tally) -> Bool {
    var tally = blank
    for number in generated {
      var choices = Choices(seed: UInt64(number))
      let file = choices.file()
      let found = comparison.differences(file, limits: WebP.DecodeOptions.damaged.limits, cuts: number)
      let name = "generated-\(number).webp"
      tally.note(name, found, "\(Verdict(file, options: .damaged))")
      if found?.isEmpty == false { try? Data(file).write(to: URL(fileURLWithPath: name)) }
      if number % 100_000 == 99_999 { tally.finish("generated files up to number \(number)") }
    }
    tally.finish("\(generated.count) generated files")
    return tally.holds
  }

  /// Files by themselves, and those in folders, below them too.
  static func files(_ paths: [String]) throws -> [URL] {
    try paths.flatMap { path -> [URL] in
      let url = try existing(path)
      guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [url] }
      let below = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".webp") }
      return below.sorted().map { url.appendingPathComponent($0) }
    }
  }

  private static func existing(_ path: String) throws -> URL {
    guard FileManager.default.fileExists(atPath: path) else { throw Misuse("there is no \(path)") }
    return URL(fileURLWithPath: path)
  }
}
