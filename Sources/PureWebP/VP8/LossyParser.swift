/// Gives rows of macroblocks what their bytes say: coefficients, and the alpha of the pixels they finish.
struct LossyParser {
  private var frame: FrameParser
  private let schedule: RowSchedule
  private let width: Int
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  private let alphaSmoothing: Int
  /// The part of the picture that is seen.
  private let window: CropWindow
  /// Nil until the first row needs it.
  private var alpha: AlphaDecoder?

  init(
    _ frame: Frame, _ schedule: RowSchedule, alphaPayload: Range<Int>?, alphaSmoothing: Int, window: CropWindow
  ) {
    self.frame = FrameParser(frame)
    self.schedule = schedule
    width = frame.header.width
    self.alphaPayload = alphaPayload
    self.alphaSmoothing = alphaSmoothing
    self.window = window
  }

  /// Parses rows until all that are prepared are parsed, the bytes that have come are used up, or one is damaged.
  mutating func parse(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>, isComplete: Bool) {
    while batch.parsed < batch.prepared {
      let (row, y) = (batch.parsed, batch.start + batch.parsed)
      do throws(WebP.DecodeError) {
        guard try frame.parse(&batch.rows[row], at: y, bytes, isComplete: isComplete) else { return }
        try decodeAlpha(of: &batch.rows[row], at: y, bytes)
        batch.countParsed()
      } catch {
        return batch.end(behind: row, with: error)
      }
    }
  }

  private mutating func decodeAlpha(
    of row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>
  ) throws(WebP.DecodeError) {
    guard let alphaPayload else { return }
    // Not below the window: what is wrong with alpha there stays unseen.
    let seen = schedule.rows(at: y).clamped(to: 0..<window.rows.upperBound)
    guard !seen.isEmpty else { return }
    if alpha == nil {
      alpha = try AlphaDecoder(
        bytes, payload: alphaPayload, width: width, height: schedule.height, crop: window, smoothing: alphaSmoothing)
    }
    try alpha?.decode(seen, bytes)
    guard let alpha else { return }
    let count = seen.count * width
    if row.alpha.isEmpty {
      row.alpha = ContiguousArray(repeating: 0, count: schedule.mostRows * width + YUVRows.slack)
    }
    row.alpha.copy(count, from: alpha.window.span, at: alpha.windowStart, to: 0)
  }
}
