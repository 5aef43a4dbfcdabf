import Foundation

/// The costs of many runs: times in milliseconds.
struct Costs {
  let minimum: Double
  let median: Double
  /// The median of the page faults of a run.
  let pageFaults: Int

  /// - Parameter runs: at least one.
  init(_ runs: [Run]) {
    let times = runs.map(\.nanoseconds).sorted()
    minimum = Double(times[0]) / 1e6
    median = Double(times[times.count / 2]) / 1e6
    pageFaults = runs.map(\.pageFaults).sorted()[runs.count / 2]
  }
}

/// The result for one file.
struct RaceResult {
  let file: String
  let megapixels: Double
  let threads: Int
  let ours: Costs
  let libwebp: Costs
  let oursPeakMiB: Double
  let libwebpPeakMiB: Double
  /// The sizes of the PNG files, if commands were compared.
  let oursBytes: Int?
  let libwebpBytes: Int?
  /// True if both decoders returned the same bytes.
  let same: Bool

  /// libwebp's time divided by ours. Above 1, this decoder is faster.
  var ratio: Double { libwebp.minimum / ours.minimum }
}

extension [RaceResult] {
  /// The geometric mean of the ratios; nil if there are no results.
  var meanRatio: Double? {
    let logarithms = map { log($0.ratio) }
    return logarithms.isEmpty ? nil : exp(logarithms.reduce(0, +) / Double(logarithms.count))
  }
}

// MARK: JSON

extension RaceResult: Encodable {
  private enum CodingKeys: String, CodingKey {
    case file, megapixels, threads, ratio, same
    case ours = "ours_ms"
    case libwebp = "libwebp_ms"
    case oursPageFaults = "ours_page_faults"
    case libwebpPageFaults = "libwebp_page_faults"
    case oursPeakMiB = "ours_peak_mib"
    case libwebpPeakMiB = "libwebp_peak_mib"
    case oursBytes = "ours_bytes"
    case libwebpBytes = "libwebp_bytes"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(file, forKey: .file)
    try container.encode(megapixels, forKey: .megapixels)
    try container.encode(threads, forKey: .threads)
    try container.encode(ours.minimum, forKey: .ours)
    try container.encode(libwebp.minimum, forKey: .libwebp)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(ours.pageFaults, forKey: .oursPageFaults)
    try container.encode(libwebp.pageFaults, forKey: .libwebpPageFaults)
    try container.encode(oursPeakMiB, forKey: .oursPeakMiB)
    try container.encode(libwebpPeakMiB, forKey: .libwebpPeakMiB)
    try container.encodeIfPresent(oursBytes, forKey: .oursBytes)
    try container.encodeIfPresent(libwebpBytes, forKey: .libwebpBytes)
    try container.encode(same, forKey: .same)
  }

  /// Formats the results as an array of objects.
  static func json(_ results: [RaceResult]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(results), as: UTF8.self)
  }
}
