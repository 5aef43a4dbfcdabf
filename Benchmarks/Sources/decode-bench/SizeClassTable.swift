import Foundation

/// The ratios of one run by image size, and of all images together.
///
///     megapixels      files   mean  lowest        mean: geometric, of the ratios
///     below 0.05          9   1.09    1.01
///     0.05 to 0.15       12   1.17    1.00
///     all                21   1.13    1.00
struct SizeClassTable: CustomStringConvertible {
  /// The bounds of the classes, in megapixels. The last class is for images that are larger than usual on web pages. A
  /// class includes its lower bound.
  private static let bounds = [0, 0.05, 0.15, 0.4, 0.9, .infinity]

  let description: String

  /// - Parameter results: the results of the run. Results with different pixels are omitted.
  init(_ results: [RaceResult]) {
    let valid = results.filter(\.same)
    let classes = zip(Self.bounds, Self.bounds.dropFirst()).map { lower, upper in
      Self.line(Self.title(lower, upper), valid.filter { $0.megapixels >= lower && $0.megapixels < upper })
    }
    let lines = ["megapixels      files   mean  lowest"] + classes.compactMap(\.self) + [Self.line("all", valid)]
    description = lines.compactMap(\.self).joined(separator: "\n")
  }

  private static func title(_ lower: Double, _ upper: Double) -> String {
    if lower == 0 { return String(format: "below %g", upper) }
    return upper.isFinite ? String(format: "%g to %g", lower, upper) : String(format: "from %g", lower)
  }

  /// Formats a line. Returns nil if the class has no files.
  private static func line(_ title: String, _ results: [RaceResult]) -> String? {
    guard let mean = results.meanRatio, let lowest = results.map(\.ratio).min() else { return nil }
    let name = title.padding(toLength: 15, withPad: " ", startingAt: 0)
    return name + String(format: "%6d%7.2f%8.2f", results.count, mean, lowest)
  }
}
