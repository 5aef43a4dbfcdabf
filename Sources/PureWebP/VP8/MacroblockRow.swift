internal import WebPFormat

/// A row of macroblocks: its parsed modes and coefficients, and its pixels.
struct MacroblockRow {
  var macroblocks: ContiguousArray<Macroblock>
  var coefficients: QuantizedCoefficients
  /// The alpha of the image rows that become final with this row (see `RowSchedule`): a byte for each pixel without
  /// gaps, and `YUVRows.slack` more bytes. Empty for an opaque image.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter deferredRows: see `RowSchedule`.
  init(columns: Int, deferredRows: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: deferredRows)
    macroblocks = .init(repeating: Macroblock(), count: columns)
    coefficients = QuantizedCoefficients(columns: columns)
  }
}
