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
    let samples = Array(0..<survey.channels)
    var pixels = ContiguousArray<UInt8>()
    for row in rows {
      pixels.removeAll(keepingCapacity: true)
      append(samples, of: bytes.span.extracting(row), to: &pixels)
      try body(pixels.span)
    }
  }

  /// Calls a function with each row in the color type of the reduction of all rows.
  func forEachRow<Failure>(
    as reduction: PNGColorReduction, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let samples = reduction.colorType.samples
    var reduced = ContiguousArray<UInt8>()
    for row in rows {
      let stored = bytes.span.extracting(row)
      // Without a palette, the rows are stored in the reduced color type.
      guard form == nil else {
        try body(stored)
        continue
      }
      reduced.removeAll(keepingCapacity: true)
      if !reduction.append(indices: stored, to: &reduced) { append(samples, of: stored, to: &reduced) }
      try body(reduced.span)
    }
  }

  /// The positions of the stored rows in `bytes`.
  private var rows: some Sequence<Range<Int>> {
    let rowBytes = width * pixelBytes
    return stride(from: 0, to: bytes.count, by: rowBytes).lazy.map { $0..<$0 + rowBytes }
  }

  /// Appends samples of each pixel of a stored row.
  private func append(_ samples: [Int], of stored: Span<UInt8>, to output: inout ContiguousArray<UInt8>) {
    if let form {
      // The position of each sample in a stored pixel. Gray has equal samples, and missing alpha is 255.
      let positions = samples.map { sample in form.samples.firstIndex(of: sample) ?? (sample == 3 ? nil : 0) }
      for start in stride(from: 0, to: stored.count, by: pixelBytes) {
        for position in positions { output.append(position.map { stored[start + $0] } ?? 255) }
      }
    } else {
      let colors = survey.palette.colors
      for index in 0..<stored.count {
        let color = colors[Int(stored[index])]
        for sample in samples { output.append(UInt8(truncatingIfNeeded: color >> UInt32(8 &* sample))) }
      }
    }
  }
}
