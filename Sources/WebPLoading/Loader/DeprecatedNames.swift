import PureWebP

extension WebP.ImageLoader.Options {
  /// The opposite of ``showsImage``. The name is from SDWebImage.
  @available(*, deprecated, message: "use showsImage, which is its opposite")
  public var avoidsAutoSet: Bool {
    get { !showsImage }
    set { showsImage = !newValue }
  }
}
