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

/// What is wrong with the command line.
struct Misuse: Error {
  let description: String
}

/// What the command line asks for.
struct Arguments {
  var paths: [String] = []
  var table: String?
  var library: String?
  var damage: Int?
  var generated: Int?
  var first = 0
  var endurance: Int?
  var isLoad = false
  var isQuiet = false
  var wantsHelp = false

  init(_ words: some Collection<String>) throws(Misuse) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      func operand<Value>(_ kind: String, _ value: (String) -> Value?) throws(Misuse) -> Value {
        guard let value = words.popFirst().flatMap(value) else { throw Misuse(description: "\(word) takes \(kind)") }
        return value
      }
      switch word {
      case "--table": table = try operand("a file") { $0 }
      case "--libwebp": library = try operand("a shared library") { $0 }
      case "--damage": damage = try operand("a number from 1 on", Self.count)
      case "--generated": generated = try operand("a number from 1 on", Self.count)
      case "--first": first = try operand("a number", Self.number)
      case "--endurance": endurance = try operand("a number from 1 on", Self.count)
      case "--load": isLoad = true
      case "--quiet": isQuiet = true
      case "--help", "-h": wantsHelp = true
      case _ where word.hasPrefix("-"): throw Misuse(description: "there is no option \(word)")
      default: paths.append(word)
      }
    }
    if library == nil && (damage != nil || generated != nil) {
      throw Misuse(description: "--damage and --generated compare with --libwebp")
    }
    if library != nil && table != nil { throw Misuse(description: "--table or --libwebp, not both") }
    if paths.isEmpty && generated == nil && (isLoad || table != nil || library != nil) {
      throw Misuse(description: "which files?")
    }
  }

  private static func count(_ word: String) -> Int? { number(word).flatMap { $0 > 0 ? $0 : nil } }

  /// Small enough for sums.
  private static func number(_ word: String) -> Int? { UInt32(word).map(Int.init) }
}
