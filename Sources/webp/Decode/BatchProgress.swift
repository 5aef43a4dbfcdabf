import CommandSystem

/// The progress of a batch, as a line on the terminal.
struct BatchProgress {
  private let total: Int
  private let isShown: Bool
  private let start = secondsNow
  private var done = 0
  private(set) var written = 0
  private(set) var failed: Int

  init(total: Int, isShown: Bool, failed: Int) {
    self.total = total
    self.isShown = isShown
    self.failed = failed
    show()
  }

  mutating func count(_ result: DecodeResult) {
    done += 1
    if result.writtenInput != nil { written += 1 }
    failed += result.failures
    show()
  }

  /// Shows the progress. The text is short, so that it still fits if the user makes the terminal narrower.
  private func show() {
    guard isShown else { return }
    var text = "\(done) of \(total)"
    if failed > 0 { text += ", \(failed) failed" }
    if done > 0 && done < total {
      let left = Int(((secondsNow - start) / Double(done) * Double(total - done)).rounded(.up))
      text += ", \(left / 60):\(String(left % 60).padded(to: 2, with: "0")) left"
    }
    ProgressLine.show(text)
  }
}
