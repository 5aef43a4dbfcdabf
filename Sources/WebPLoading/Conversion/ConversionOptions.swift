import PureWebP
import WebPExport

extension WebP {
  /// How WebP is made into PNG.
  public struct ConversionOptions: Hashable, Sendable {
    /// How much time is spent for how small a PNG.
    public var compression = PNGCompression.automatic
    /// What is refused before memory is taken for it.
    public var limits = Limits()

    public init() {}
  }
}
