/// A line of `references/prefixes.tsv`: verdicts on a vector cut off after each number of bytes.
public struct Cuts: TableLine {
  public let file: String
  /// Whether the sizes in the headers are made to fit.
  public let areMended: Bool
  private let verdicts: [String]

  public init(_ fields: [String]) {
    file = fields[0]
    areMended = fields[1] == "mended"
    verdicts = answers(inRuns: fields[2...])
  }

  /// The lengths at which PureWebP's answer differs.
  public func differences(of file: [UInt8]) -> [String] {
    let whole = Verdict(file, options: .damaged).sum
    // Neighbouring lengths that differ in the same way make one entry.
    var found: [(lengths: ClosedRange<Int>, what: String)] = []
    for (length, expected) in verdicts.enumerated() {
      let cut = Array(file[..<length])
      let verdict = Verdict(areMended ? Damage.mended(cut) : cut, options: .damaged)
      let actual = verdict.status != 0 ? "\(verdict.status)" : verdict.sum == whole ? "0" : hexadecimal(verdict.sum)
      if expected == "-" || actual == expected { continue }
      let what = "\(actual) instead of \(expected)"
      if let last = found.last, last.what == what, last.lengths.upperBound == length - 1 {
        found[found.count - 1].lengths = last.lengths.lowerBound...length
      } else {
        found.append((length...length, what))
      }
    }
    return found.map { "\($0.lengths) bytes: \($0.what)" }
  }
}
