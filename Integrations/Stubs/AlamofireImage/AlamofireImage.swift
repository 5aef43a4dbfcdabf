// Declarations of AlamofireImage 4.4.0: Request+AlamofireImage.swift, ImageDownloader.swift.
@_exported import PlatformNames

public typealias Image = UIImage

/// The library declares it `Sendable` without `@unchecked`, which the Swift 5 mode accepts.
open class ImageResponseSerializer: @unchecked Sendable {
  public let imageScale: CGFloat
  public let inflateResponseImage: Bool

  /// The default scale is the scale of the screen.
  public init(imageScale: CGFloat = 3, inflateResponseImage: Bool = true) {
    self.imageScale = imageScale
    self.inflateResponseImage = inflateResponseImage
  }

  private static let contentTypes = ContentTypes()
  public static var acceptableImageContentTypes: Set<String> { contentTypes.values }

  public class func addAcceptableImageContentTypes(_ types: Set<String>) { contentTypes.values.formUnion(types) }

  /// Decodes nothing here, as the system's decoder does with WebP before iOS 14.
  open func serializeImage(from data: Data) throws -> Image { throw CocoaError(.coderInvalidValue) }
}

open class ImageDownloader {
  public var imageResponseSerializer = ImageResponseSerializer()

  public init() {}
}

/// A variable in the library, which is not synchronized there either.
private final class ContentTypes: @unchecked Sendable {
  var values: Set<String> = ["image/png"]
}
