/// A line of `references/prefixes.tsv`: the verdicts on a vector truncated to each length.
public struct TruncationCases: TableLine {
  public let file: String
  /// A Boolean value that indicates whether the sizes in the headers are adapted to the truncated length.
  public let haveAdaptedSizes: Bool
  private let verdicts: [String]

  public init(_ fields: [String]) {
    file = fields[0]
    haveAdaptedSizes = fields[1] == "adapted"
    verdicts = answers(inRuns: fields[2...])
  }

  /// Returns the lengths at which PureWebP's result differs.
  public func differences(of file: [UInt8]) -> [String] {
    let whole = Verdict(file, options: .damaged).sum
    // Consecutive lengths with the same difference form one entry.
    var found: [(lengths: ClosedRange<Int>, what: String)] = []
    for (length, expected) in verdicts.enumerated() {
      let cut = Array(file[..<length])
      let verdict = Verdict(haveAdaptedSizes ? Damage.withAdaptedSizes(cut) : cut, options: .damaged)
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
