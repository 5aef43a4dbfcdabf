import ConformanceGenerator
import ConformanceSupport
import Foundation
import PureWebP

let usage = """
  conformance                       every vector, its beginnings, its damage, options and frames, against the references
  conformance PATH...               files, and all files in folders: what is made of them
      --table FILE                  compared with a table like references/vectors.tsv, by file name
      --libwebp LIBRARY             compared with libwebp, loaded from a shared library
      --damage N                    with --libwebp: N seeded damaged forms of each file as well
      --generated N                 with --libwebp: N files that are written from seeded choices
      --first K                     damage, or generated files, from number K on
      --quiet                       only what differs, and the summary
  conformance --endurance N         decodes N files, good and damaged: memory in use has to stay
  conformance --load PATH...        64 decodes of the files, at the same time and one after another
  """

/// Prints a line at once, so that it is there even if the next file should crash the decoder.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What a run has found.
struct Tally {
  var quiet = false
  var agreed = 0
  var differed = 0
  var skipped = 0

  mutating func note(_ file: String, _ differences: [String]?, _ verdict: @autoclosure () -> String = "ok") {
    guard let differences else {
      skipped += 1
      if !quiet { say("\(file)\tnot compared: \(verdict())") }
      return
    }
    if differences.isEmpty {
      agreed += 1
      if !quiet { say("\(file)\t\(verdict())") }
    } else {
      differed += 1
      say("\(file)\tDIFFERS\t\(differences.joined(separator: "; "))")
    }
  }

  func finish(_ what: String) {
    say("\(what): \(agreed) as they must be, \(differed) differ" + (skipped > 0 ? ", \(skipped) not compared" : ""))
  }
}

@main
struct ConformanceCommand {
  static func main() throws {
    var paths: [String] = []
    var table: String?
    var library: String?
    var damage = 0
    var generated = 0
    var first = 0
    var isLoad = false
    var tally = Tally()
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--table": table = arguments.popFirst()
      case "--libwebp": library = arguments.popFirst()
      case "--damage": damage = arguments.popFirst().flatMap { Int($0) } ?? 0
      case "--generated": generated = arguments.popFirst().flatMap { Int($0) } ?? 0
      case "--first": first = arguments.popFirst().flatMap { Int($0) } ?? 0
      case "--endurance": exit(try Endurance.run(arguments.popFirst().flatMap { Int($0) } ?? 0) ? 0 : 1)
      case "--load": isLoad = true
      case "--quiet": tally.quiet = true
      case "--help", "-h": return say(usage)
      default: paths.append(argument)
      }
    }
    if isLoad { exit(try Load.run(try files(paths)) ? 0 : 1) }
    var comparison: Comparison?
    if let library {
      guard let libwebp = Libwebp(path: library) else {
        say("cannot load \(library): \(Libwebp.lastError)")
        exit(1)
      }
      comparison = Comparison(libwebp: libwebp)
    }
    let agrees: Bool
    if let comparison, generated > 0 {
      agrees = check(generated: first..<first + generated, comparison, tally)
    } else if paths.isEmpty {
      agrees = try recorded(tally)
    } else {
      agrees = try check(try files(paths), table: table, comparison, damage: first..<first + damage, tally)
    }
    exit(agrees ? 0 : 1)
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
    return tallies.allSatisfy { $0.differed == 0 }
  }

  /// Any files: against a table, against libwebp, or against nothing.
  static func check(
    _ files: [URL], table: String?, _ comparison: Comparison?, damage: Range<Int>, _ blank: Tally
  ) throws -> Bool {
    var tally = blank
    var references: [String: Reference]?
    if let table {
      let lines = try Conformance.references(at: URL(fileURLWithPath: table))
      references = Dictionary(lines.map { ($0.file, $0) }, uniquingKeysWith: { first, _ in first })
    }
    for file in files {
      let bytes = try Conformance.read(file)
      if let comparison {
        tally.note(file.path, comparison.differences(bytes, limits: WebP.Limits()), "\(Verdict(bytes))")
        for number in damage {
          let damaged = Damage.number(number, of: bytes)
          let found = comparison.differences(damaged, limits: WebP.DecodeOptions.damaged.limits, cuts: number)
          tally.note("\(file.path) damage \(number)", found, "\(Verdict(damaged, options: .damaged))")
        }
      } else if let references {
        tally.note(file.path, references[file.lastPathComponent]?.differences(of: bytes), "\(Verdict(bytes))")
      } else {
        do throws(WebP.DecodeError) {
          _ = try WebP.decode(bytes)
          tally.note(file.path, [], "\(Verdict(bytes))")
        } catch {
          tally.note(file.path, [error.description])
        }
      }
    }
    tally.finish("\(files.count) files")
    return tally.differed == 0
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
    return tally.differed == 0
  }

  /// Files by themselves, and those in folders, below them too.
  static func files(_ paths: [String]) throws -> [URL] {
    try paths.flatMap { path -> [URL] in
      let url = URL(fileURLWithPath: path)
      guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [url] }
      let below = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".webp") }
      return below.sorted().map { url.appendingPathComponent($0) }
    }
  }
}
