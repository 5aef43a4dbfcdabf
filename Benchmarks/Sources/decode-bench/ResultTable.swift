import Foundation

/// A table of the results, with a line for each file.
///
///                          ours, ms     libwebp, ms             peak, MiB    page faults
///     file         MP   min   median     min   median  ratio  ours  libwebp  ours  libwebp
struct ResultTable {
  private let nameWidth: Int
  private let opponent: String

  init(files: [String], opponent: String) {
    nameWidth = max(4, files.map { Self.name($0).count }.max() ?? 0)
    self.opponent = opponent
  }

  var header: String {
    let above = ["", "", "", "ours, ms", "", "libwebp, ms", "", "", "peak, MiB", "", "page faults"]
    let names = ["file", "MP", "min", "median", "min", "median", "ratio", "ours", "libwebp", "ours", "libwebp"]
    return opponent + "\n" + row(above) + "\n" + row(names)
  }

  func line(_ result: RaceResult) -> String {
    row([
      Self.name(result.file), number(result.megapixels, digits: 3),
      milliseconds(result.ours.minimum), milliseconds(result.ours.median),
      milliseconds(result.libwebp.minimum), milliseconds(result.libwebp.median),
      number(result.ratio, digits: 2),
      number(result.oursPeakMiB, digits: 1), number(result.libwebpPeakMiB, digits: 1),
      "\(result.ours.pageFaults)", "\(result.libwebp.pageFaults)",
    ]) + sizes(result) + (result.same ? "" : "  DIFFERENT PIXELS")
  }

  private func sizes(_ result: RaceResult) -> String {
    guard let ours = result.oursBytes, let libwebp = result.libwebpBytes else { return "" }
    return "  PNG: \(ours) bytes, libwebp's \(libwebp)"
  }

  private static func name(_ file: String) -> String { (file as NSString).lastPathComponent }

  private func row(_ fields: [String]) -> String {
    let widths = [8, 9, 9, 9, 11, 7, 8, 9, 8, 13]
    let name = fields[0] + String(repeating: " ", count: nameWidth - fields[0].count)
    return zip(fields.dropFirst(), widths).reduce(name) { line, field in
      line + String(repeating: " ", count: max(1, field.1 - field.0.count)) + field.0
    }
  }

  /// Formats a time with three significant digits, because times range from microseconds to hundreds of milliseconds.
  private func milliseconds(_ value: Double) -> String {
    number(value, digits: value < 1 ? 4 : value < 10 ? 3 : value < 100 ? 2 : 1)
  }

  private func number(_ value: Double, digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
