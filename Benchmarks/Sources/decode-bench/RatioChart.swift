import Foundation

/// A bar chart of the ratios, with a line at libwebp's position.
///
///                             libwebp
///     photo 12mp q75     ████████┃███  1.21
///     icon lossless      ████████┃██████  1.40
///
/// The background is transparent. The colors are visible on white and on black pages.
struct RatioChart {
  private let results: [RaceResult]
  private let title: String
  private let opponent: String

  private let labelWidth: Double
  private let barWidth = 420.0
  private let rowHeight = 24.0
  private let top = 56.0

  /// - Parameter results: the results to draw. Results with different pixels are omitted.
  init(_ results: [RaceResult], opponent: String) {
    self.results = results.filter(\.same)
    title = "How many times as fast as \(opponent), \(Self.threads(results.first?.threads ?? 1))"
    self.opponent = opponent
    labelWidth = 16 + 7 * Double(self.results.map { Self.label($0).count }.max() ?? 0)
  }

  var svg: String {
    let scale = barWidth / max(1, results.map(\.ratio).max() ?? 1)
    let size = (width: labelWidth + barWidth + 56, height: top + rowHeight * Double(results.count) + 8)
    let libwebp = labelWidth + scale
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(round(size.width)) \(round(size.height))" \
      width="\(round(size.width))" height="\(round(size.height))" font-family="system-ui, sans-serif" font-size="13" \
      role="img">
      """,
      "<title>\(title)</title>",
      "<g fill=\"\(Self.ink)\">",
      "<text x=\"8\" y=\"20\" font-weight=\"600\">\(title)</text>",
      "<text x=\"\(round(libwebp))\" y=\"\(round(top - 8))\" text-anchor=\"middle\">\(opponent)</text>",
    ]
    for (index, result) in results.enumerated() {
      let y = top + rowHeight * Double(index)
      let end = labelWidth + scale * result.ratio
      let afterBar = result.ratio < 1 ? max(end, libwebp) : end
      let color = result.ratio >= 1 ? Self.faster : Self.slower
      lines += [
        "<text x=\"\(round(labelWidth - 8))\" y=\"\(round(y + 17))\" text-anchor=\"end\">\(Self.label(result))</text>",
        """
        <rect x="\(round(labelWidth))" y="\(round(y + 4))" width="\(round(end - labelWidth))" \
        height="\(round(rowHeight - 8))" rx="2" fill="\(color)"/>
        """,
        "<text x=\"\(round(afterBar + 6))\" y=\"\(round(y + 17))\">\(String(format: "%.2f", result.ratio))</text>",
      ]
    }
    lines += [
      "</g>",
      """
      <line x1="\(round(libwebp))" x2="\(round(libwebp))" y1="\(round(top))" y2="\(round(size.height - 8))" \
      stroke="\(Self.ink)" stroke-width="1.5"/>
      """,
      "</svg>",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  static func threads(_ count: Int) -> String { count == 1 ? "one thread" : "\(count) threads" }

  static let ink = "#7d8590"
  static let faster = "#3fa35f"
  private static let slower = "#d9713c"

  /// The file name without extension, with spaces for hyphens.
  private static func label(_ result: RaceResult) -> String {
    let name = ((result.file as NSString).lastPathComponent as NSString).deletingPathExtension
    return name.replacingOccurrences(of: "-", with: " ").replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
  }

  private func round(_ value: Double) -> String { String(format: "%g", (value * 10).rounded() / 10) }
}
