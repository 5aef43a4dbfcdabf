/// What is wrong with the command line.
struct Misuse: Error {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The words of the command line. Each has to be taken: what is left at the end makes no sense with the rest.
struct Words {
  private var others: [String] = []
  /// By their names, with what follows them; with nothing if they are flags.
  private var options: [String: String] = [:]

  init(_ words: some Sequence<String>, flags: Set<String>, options names: Set<String>) throws(Misuse) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      guard word.hasPrefix("-") else {
        others.append(word)
        continue
      }
      guard flags.contains(word) || names.contains(word) else { throw Misuse("there is no option \(word)") }
      guard let operand = flags.contains(word) ? "" : words.popFirst() else { throw Misuse("\(word) which?") }
      guard options.updateValue(operand, forKey: word) == nil else { throw Misuse("\(word) is there twice") }
    }
  }

  mutating func flag(_ name: String) -> Bool { option(name) != nil }

  mutating func option(_ name: String) -> String? { options.removeValue(forKey: name) }

  /// One that is small enough for sums.
  mutating func number(_ name: String, from least: UInt32) throws(Misuse) -> Int? {
    guard let word = option(name) else { return nil }
    guard let number = UInt32(word), number >= least else { throw Misuse("\(name) takes a number from \(least) on") }
    return Int(number)
  }

  var hasPaths: Bool { !others.isEmpty }

  /// One at least.
  mutating func paths() throws(Misuse) -> [String] {
    guard hasPaths else { throw Misuse("which files?") }
    defer { others = [] }
    return others
  }

  func end() throws(Misuse) {
    if let word = options.keys.min() ?? others.first { throw Misuse("\(word) makes no sense here") }
  }
}
