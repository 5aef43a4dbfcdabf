import PureWebP
import WebPExport

extension WebP {
  /// Options for the conversion of WebP to PNG.
  public struct ConversionOptions: Hashable, Sendable {
    /// The trade between compression time and file size.
    public var compression: PNGCompression
    /// The limits that are checked before memory is allocated.
    public var limits: Limits
    /// The number of threads that may work on one conversion. It does not change the PNG.
    ///
    /// With one thread each part of the PNG is available as soon as it is compressed. More threads convert a large image in
    /// less time, hold up to 2 MB more for each thread, and deliver the first part later.
    public var threads: Threads

    /// Creates options.
    public init(compression: PNGCompression = .automatic, limits: Limits = Limits(), threads: Threads = .one) {
      self.compression = compression
      self.limits = limits
      self.threads = threads
    }
  }
}
