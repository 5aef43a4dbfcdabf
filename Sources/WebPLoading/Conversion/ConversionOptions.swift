import PureWebP
import WebPExport

extension WebP {
  /// Options for the conversion of WebP to PNG.
  public struct ConversionOptions: Hashable, Sendable {
    /// The trade between compression time and file size.
    public var compression = PNGCompression.automatic
    /// The limits that are checked before memory is allocated.
    public var limits = Limits()
    /// The number of threads that may work on one conversion. It does not change the PNG.
    ///
    /// A server that converts many images at the same time should use `.one`: it saves memory and is as fast in
    /// total.
    public var threads = Threads.automatic

    public init() {}
  }
}
