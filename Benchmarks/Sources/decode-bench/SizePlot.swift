import Foundation

/// A plot of milliseconds per megapixel by image size. A horizontal line means that time is proportional to the size.
///
///     ms/MP
///       12 ┤ ○───○───○───○  libwebp
///        6 ┤ ●───●───●───●  PureWebP
///          └─┬───┬───┬───┬─
///           0.1  1   10 100 megapixels
struct SizePlot {
  private let results: [RaceResult]
  private let title: String

  private let left = 56.0, top = 48.0, width = 480.0, height = 220.0

  init(_ results: [RaceResult], opponent: String) {
    self.results = results.filter(\.same).sorted { $0.megapixels < $1.megapixels }
    title = "Milliseconds per megapixel, \(RatioChart.threads(results.first?.threads ?? 1))"
    self.opponent = opponent
  }

  private let opponent: String

  var svg: String {
    let ink = RatioChart.ink
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" width="640" height="320" \
      font-family="system-ui, sans-serif" font-size="13" role="img">
      """,
      "<title>\(title)</title>",
      "<g fill=\"\(ink)\">",
      "<text x=\"8\" y=\"20\" font-weight=\"600\">\(title)</text>",
    ]
    for value in stride(from: 0, through: largest, by: largest / 4) {
      let y = y(value)
      lines += [
        "<text x=\"\(round(left - 8))\" y=\"\(round(y + 4))\" text-anchor=\"end\">\(round(value))</text>",
        """
        <line x1="\(round(left))" x2="\(round(left + width))" y1="\(round(y))" y2="\(round(y))" stroke="\(ink)" \
        stroke-opacity="0.3"/>
        """,
      ]
    }
    for result in results {
      lines.append(
        """
        <text x="\(round(x(result)))" y="\(round(top + height + 20))" text-anchor="middle">\
        \(String(format: "%.2g", result.megapixels))</text>
        """)
    }
    lines.append("<text x=\"\(round(left + width / 2))\" y=\"312\" text-anchor=\"middle\">megapixels</text>")
    lines += line(RatioChart.faster, "PureWebP") { $0.ours.minimum / $0.megapixels }
    lines += line(ink, opponent) { $0.libwebp.minimum / $0.megapixels }
    return (lines + ["</g>", "</svg>"]).joined(separator: "\n") + "\n"
  }

  private func line(_ color: String, _ name: String, _ value: (RaceResult) -> Double) -> [String] {
    let points = results.map { (x: x($0), y: y(value($0))) }
    guard let last = points.last else { return [] }
    return [
      """
      <polyline points="\(points.map { "\(round($0.x)),\(round($0.y))" }.joined(separator: " "))" fill="none" \
      stroke="\(color)" stroke-width="2"/>
      """
    ] + points.map { "<circle cx=\"\(round($0.x))\" cy=\"\(round($0.y))\" r=\"3.5\" fill=\"\(color)\"/>" } + [
      "<text x=\"\(round(last.x + 8))\" y=\"\(round(last.y + 4))\" fill=\"\(color)\">\(name)</text>"
    ]
  }

  private var largest: Double {
    let values = results.flatMap { [$0.ours.minimum / $0.megapixels, $0.libwebp.minimum / $0.megapixels] }
    return max(4, 4 * ((values.max() ?? 4) / 4).rounded(.up))
  }

  private func y(_ value: Double) -> Double { top + height * (1 - value / largest) }

  private func x(_ result: RaceResult) -> Double {
    let sizes = results.map { log($0.megapixels) }
    guard let first = sizes.first, let last = sizes.last, last > first else { return left + width / 2 }
    return left + 16 + (width - 32) * (log(result.megapixels) - first) / (last - first)
  }

  private func round(_ value: Double) -> String { String(format: "%g", (value * 10).rounded() / 10) }
}
