import PureWebP

/// The rows that precede the choice of the color type, in the smallest form that their colors allow. An image with few
/// colors takes one byte per pixel.
struct PNGStoredRows {
  private(set) var survey: PNGColorSurvey
  private let width: Int
  private let height: Int
  /// The samples that are stored of each pixel. Nil: the index in the palette of the survey.
  private var form: WebP.PNGHeader.ColorType?
  private var bytes = ContiguousArray<UInt8>()

  init(_ survey: PNGColorSurvey, _ header: WebP.PNGHeader) {
    self.survey = survey
    (width, height) = (header.width, header.height)
    reserve()
  }

  /// The size of a stored pixel.
  private var pixelBytes: Int { form?.channels ?? 1 }

  /// Reserves memory for all rows. Pages that stay untouched take none.
  private mutating func reserve() {
    let row = width.multipliedReportingOverflow(by: pixelBytes)
    if !row.overflow, height <= (1 << 30) / row.partialValue { bytes.reserveCapacity(row.partialValue * height) }
  }

  /// Stores rows, unless their colors end the survey.
  ///
  /// - Returns: whether the rows were stored.
  mutating func add(_ pixels: Span<UInt8>) -> Bool {
    var indices = ContiguousArray<UInt8>()
    survey.add(pixels, to: &indices)
    guard survey.isOpen else { return false }
    if survey.fitsPalette {
      bytes += indices
    } else {
      if form != survey.sampleType { convert(to: survey.sampleType) }
      survey.sampleType.append(pixels, channels: survey.channels, to: &bytes)
    }
    return true
  }

  private mutating func convert(to type: WebP.PNGHeader.ColorType) {
    let old = self
    bytes = []
    form = type
    reserve()
    old.forEachRow { type.append($0, channels: survey.channels, to: &bytes) }
  }

  /// Calls a function with the pixels of each row, as they were added.
  func forEachRow<Failure>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    var pixels = ContiguousArray<UInt8>()
    for row in rows {
      pixels.removeAll(keepingCapacity: true)
      expand(bytes.span.extracting(row), to: &pixels)
      try body(pixels.span)
    }
  }

  /// Calls a function with each row in the color type of a reduction.
  func forEachRow<Failure>(
    as reduction: PNGColorReduction, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var reduced = ContiguousArray<UInt8>()
    for row in rows {
      let stored = bytes.span.extracting(row)
      if form == reduction.colorType {
        try body(stored)
        continue
      }
      reduced.removeAll(keepingCapacity: true)
      if !reduction.append(indices: stored, to: &reduced) {
        var pixels = ContiguousArray<UInt8>()
        expand(stored, to: &pixels)
        reduction.append(pixels.span, to: &reduced)
      }
      try body(reduced.span)
    }
  }

  /// The positions of the stored rows in `bytes`.
  private var rows: some Sequence<Range<Int>> {
    let rowBytes = width * pixelBytes
    return stride(from: 0, to: bytes.count, by: rowBytes).lazy.map { $0..<$0 + rowBytes }
  }

  /// Appends the pixels that a stored row has.
  private func expand(_ stored: Span<UInt8>, to pixels: inout ContiguousArray<UInt8>) {
    let colors = survey.palette.colors
    for start in stride(from: 0, to: stored.count, by: pixelBytes) {
      let color: UInt32 =
        switch form {
        case nil: colors[Int(stored[start])]
        case .gray: UInt32(stored[start]) * 0x01_0101 | 0xFF00_0000
        case .grayAlpha: UInt32(stored[start]) * 0x01_0101 | UInt32(stored[start + 1]) << 24
        case .rgba: stored.color(at: start, channels: 4)
        default: stored.color(at: start, channels: 3)
        }
      for channel in 0..<survey.channels { pixels.append(UInt8(truncatingIfNeeded: color >> UInt32(8 * channel))) }
    }
  }
}
