// Declarations of AlamofireImage 4.4.
@_exported import UIKit

public typealias Image = UIImage

open class ImageResponseSerializer: @unchecked Sendable {
  public let imageScale: CGFloat

  public init(imageScale: CGFloat = 1, inflateResponseImage: Bool = true) {
    self.imageScale = imageScale
  }

  nonisolated(unsafe) public private(set) static var acceptableImageContentTypes: Set<String> = ["image/png"]

  open class func addAcceptableImageContentTypes(_ contentTypes: Set<String>) {
    acceptableImageContentTypes.formUnion(contentTypes)
  }

  /// Here it decodes nothing, as the system's decoder does with WebP before iOS 14.
  open func serializeImage(from data: Data) throws -> Image { throw CocoaError(.coderInvalidValue) }
}

open class ImageDownloader {
  open var imageResponseSerializer = ImageResponseSerializer()

  public init() {}
}
