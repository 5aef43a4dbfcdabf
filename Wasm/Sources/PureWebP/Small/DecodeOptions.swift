extension WebP {
  /// In place of DecodeOptions.swift: pictures as they are, in R G B A. These are constants, so that what is there for
  /// everything else is left out.
  public struct DecodeOptions: Hashable, Sendable {
    public enum Upsampling: Hashable, Sendable { case fancy }

    public var limits = Limits()
    public init() {}

    var format: PixelFormat { get { .rgba } set {} }
    var upsampling: Upsampling { get { .fancy } set {} }
    var bypassesLoopFilter: Bool { get { false } set {} }
    var crop: Rectangle? { nil }
    var size: OutputSize? { nil }
    var dithering: Int { 0 }
    var alphaDithering: Int { 0 }
    var flipsVertically: Bool { false }
    var threads: Threads { get { .one } set {} }
  }
}
