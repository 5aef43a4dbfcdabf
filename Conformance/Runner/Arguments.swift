let usage = """
  conformance                       every vector, its beginnings, its damage, options and frames, against the references
  conformance PATH...               files, and all files in folders: what is made of them
      --table FILE                  compared with a table like references/vectors.tsv, by file name
      --libwebp LIBRARY             compared with libwebp, loaded from a shared library
      --damage N                    with --libwebp: N seeded damaged forms of each file as well
      --generated N                 with --libwebp: N files that are written from seeded choices
      --first K                     damage, or generated files, from number K on
  conformance --endurance N         decodes N files, good and damaged: memory in use has to stay
  conformance --load PATH...        64 decodes of the files, at the same time and one after another
  --quiet, with any of them         only what differs, and the summary
  """

/// What the command line asks for.
struct Arguments {
  enum Job {
    case help
    /// The vectors against everything that is recorded of them.
    case recorded
    case show(paths: [String])
    case table(String, paths: [String])
    case libwebp(String, paths: [String], damage: Range<Int>)
    case generated(Range<Int>, libwebp: String)
    case endurance(Int)
    case load(paths: [String])
  }

  let job: Job
  let isQuiet: Bool

  init(_ words: some Sequence<String>) throws(Misuse) {
    var words = try Words(
      words, flags: ["--load", "--quiet", "--help", "-h"],
      options: ["--table", "--libwebp", "--damage", "--generated", "--first", "--endurance"])
    isQuiet = words.flag("--quiet")
    job = try Self.job(&words)
    try words.end()
  }

  private static func job(_ words: inout Words) throws(Misuse) -> Job {
    if words.flag("--help") || words.flag("-h") { return .help }
    if let count = try words.number("--endurance", from: 1) { return .endurance(count) }
    if words.flag("--load") { return .load(paths: try words.paths()) }
    if let table = words.option("--table") { return .table(table, paths: try words.paths()) }
    guard let library = words.option("--libwebp") else {
      return words.hasPaths ? .show(paths: try words.paths()) : .recorded
    }
    if let numbers = try numbers("--generated", &words) { return .generated(numbers, libwebp: library) }
    return .libwebp(library, paths: try words.paths(), damage: try numbers("--damage", &words) ?? 0..<0)
  }

  /// As many numbers as an option says, from `--first` on.
  private static func numbers(_ option: String, _ words: inout Words) throws(Misuse) -> Range<Int>? {
    guard let count = try words.number(option, from: 1) else { return nil }
    let first = try words.number("--first", from: 0) ?? 0
    return first..<first + count
  }
}
