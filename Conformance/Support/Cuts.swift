import PureWebP

/// A line of `references/prefixes.tsv`: verdicts on a vector cut off after each number of bytes.
public struct Cuts: Sendable {
  public let file: String
  /// Whether the sizes in the headers are made to fit.
  public let areMended: Bool
  private let runs: [(verdict: String, count: Int)]

  public init(_ fields: [String]) {
    file = fields[0]
    areMended = fields[1] == "mended"
    runs = fields[2...].map {
      let parts = $0.split(separator: "x")
      return (String(parts[0]), Int(parts[1])!)
    }
  }

  /// The lengths at which PureWebP's answer differs.
  public func differences(of file: [UInt8]) -> [String] {
    let whole = Verdict(file, options: .damaged).sum
    // Neighbouring lengths that differ in the same way make one entry.
    var found: [(lengths: ClosedRange<Int>, what: String)] = []
    var length = 0
    for (expected, count) in runs {
      for _ in 0..<count {
        let cut = Array(file[..<length])
        let verdict = Verdict(areMended ? Damage.mended(cut) : cut, options: .damaged)
        let actual = verdict.status != 0 ? "\(verdict.status)" : verdict.sum == whole ? "0" : hexadecimal(verdict.sum)
        if expected != "-", actual != expected {
          let what = "\(actual) instead of \(expected)"
          if let last = found.last, last.what == what, last.lengths.upperBound == length - 1 {
            found[found.count - 1].lengths = last.lengths.lowerBound...length
          } else {
            found.append((length...length, what))
          }
        }
        length += 1
      }
    }
    return found.map { "\($0.lengths) bytes: \($0.what)" }
  }
}

/// A line of `references/damage.tsv`: verdicts on a vector after seeded damage.
public struct DamageCases: Sendable {
  public let file: String
  public let verdicts: [String]

  public init(_ fields: [String]) {
    file = fields[0]
    verdicts = Array(fields[1...])
  }

  /// The cases in which PureWebP's answer differs.
  public func differences(of file: [UInt8]) -> [String] {
    verdicts.enumerated().compactMap { number, expected in
      let verdict = Verdict(Damage.number(number, of: file), options: .damaged)
      let actual = verdict.status == 0 ? hexadecimal(verdict.sum) : "\(verdict.status)"
      return expected == "-" || actual == expected ? nil : "damage \(number): \(actual) instead of \(expected)"
    }
  }
}

extension WebP.DecodeOptions {
  /// With a limit low enough that no damage makes a file take long: those that claim more have no reference.
  public static let damaged = {
    var options = Self()
    options.limits.maximumPixels = 1 << 22
    return options
  }()
}
