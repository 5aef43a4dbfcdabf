import PureWebP

/// A line of `references/damage.tsv`: the verdicts on corrupted variants of a vector.
public struct DamageCases: TableLine {
  public let file: String
  public let verdicts: [String]

  public init(_ fields: [String]) {
    file = fields[0]
    verdicts = Array(fields[1...])
  }

  /// Returns the variants for which PureWebP's result differs.
  public func differences(of file: [UInt8]) -> [String] {
    verdicts.enumerated().compactMap { number, expected in
      let verdict = Verdict(Damage.number(number, of: file), options: .damaged)
      let actual = verdict.status == 0 ? hexadecimal(verdict.sum) : "\(verdict.status)"
      return expected == "-" || actual == expected ? nil : "damage \(number): \(actual) instead of \(expected)"
    }
  }
}

extension WebP.DecodeOptions {
  /// Options with a low pixel limit, so that no corrupted file takes long. Files above the limit have no reference.
  public static let damaged = {
    var options = Self()
    options.limits.maximumPixels = 1 << 22
    return options
  }()
}
