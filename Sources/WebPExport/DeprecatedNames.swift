import PureWebP

extension WebP.PNGHeader.ColorType {
  /// The old name of ``gray``.
  @available(*, deprecated, renamed: "gray")
  public static var grey: Self { .gray }

  /// The old name of ``grayAlpha``.
  @available(*, deprecated, renamed: "grayAlpha")
  public static var greyAlpha: Self { .grayAlpha }
}

extension WebP.APNGWriter.Frame {
  /// A Boolean value that indicates whether ``blending`` is `blend`.
  @available(*, deprecated, message: "use blending")
  public var isBlended: Bool {
    get { blending == .blend }
    set { blending = newValue ? .blend : .overwrite }
  }

  /// A Boolean value that indicates whether ``disposal`` is `clear`.
  @available(*, deprecated, message: "use disposal")
  public var isDisposed: Bool {
    get { disposal == .clear }
    set { disposal = newValue ? .clear : .keep }
  }
}
