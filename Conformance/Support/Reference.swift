import PureWebP

/// A line of `references/vectors.tsv`, or of a table like it.
public struct Reference: TableLine {
  public let file: String
  /// One of ``Verdict/names``, or `limit`.
  public let verdict: String
  public let width: Int?
  public let height: Int?
  public let hasAlpha: Bool?
  /// The CRC-32 of the pixels, or of the first canvas of an animation. There is one for each set of options. Nil if the
  /// table has none.
  public let rgba, yuva, nearestRGBA, unfilteredYUVA: UInt32?

  public init(_ fields: [String]) {
    file = fields[0]
    verdict = fields[1]
    width = Int(fields[2])
    height = Int(fields[3])
    hasAlpha = Int(fields[4]).map { $0 != 0 }
    let sums = fields[5..<9].map { UInt32($0, radix: 16) }
    (rgba, yuva, nearestRGBA, unfilteredYUVA) = (sums[0], sums[1], sums[2], sums[3])
  }

  /// Returns the differences between PureWebP's results and the reference.
  public func differences(of file: [UInt8]) -> [String] {
    var found: [String] = []
    func expect(_ what: String, _ expected: some CustomStringConvertible, _ actual: some CustomStringConvertible) {
      if expected.description != actual.description { found.append("\(what): \(actual) instead of \(expected)") }
    }

    let verdict = Verdict(file)
    guard let status = Verdict.names.firstIndex(of: self.verdict) else {
      expect("verdict", self.verdict, verdict)
      return found
    }
    // libwebp's still decoder rejects every animation with this status. PureWebP decodes the first frame, and reports
    // an error if there is none.
    if status == Verdict.unsupportedFeature, rgba == nil {
      if verdict.status <= 0 { expect("verdict", "an error", verdict) }
      return found
    }
    guard status == 0 || status == Verdict.unsupportedFeature, let width, let height, let rgba else {
      expect("verdict", self.verdict, verdict)
      return found
    }
    expect("rgba", Verdict(status: 0, width: width, height: height, sum: rgba), verdict)
    expect("alpha", hasAlpha.map(String.init) ?? "-", (try? WebP.info(file)).map { String($0.hasAlpha) } ?? "error")
    for (what, sum, options) in [
      ("yuva", yuva, WebP.DecodeOptions.yuva), ("nearest rgba", nearestRGBA, .nearestRGBA),
      ("unfiltered yuva", unfilteredYUVA, .unfilteredYUVA),
    ] {
      guard let sum else { continue }
      expect(what, Verdict(status: 0, width: width, height: height, sum: sum), Verdict(file, options: options))
    }
    return found
  }
}
