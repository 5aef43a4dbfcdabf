// The interface for Objective-C. Swift code uses the functions that these methods call.
//
// Only in Apple's SDKs, the module ObjectiveC has a submodule NSObject. Elsewhere, methods with types such as URL
// cannot have the attribute @objc.

import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// Makes the shared URL session show WebP on systems that do not decode it.
  ///
  ///     [NSURLSessionConfiguration webp_registerProtocol];
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_registerProtocol)
  #endif
  @available(swift, obsoleted: 1.0)
  public static func registerWebPProtocol() { WebPURLProtocol.register() }

  /// Returns a copy of the configuration whose sessions load WebP.
  ///
  ///     NSURLSession *session =
  ///       [NSURLSession sessionWithConfiguration:[configuration webp_configuration]];
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_configuration)
  #endif
  @available(swift, obsoleted: 1.0)
  public func webPConfiguration() -> URLSessionConfiguration { withWebP() }
}

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension UIImage {
    /// Decodes a WebP, and orients it as its metadata specifies. An animation has all its frames.
    ///
    ///     UIImage *image = [UIImage webp_imageWithData:data scale:2];
    ///
    /// - Returns: Nil if the data cannot be decoded.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_imageWithData:scale:)
    #endif
    @available(swift, obsoleted: 1.0)
    public static func webPImage(data: Data, scale: Double) -> UIImage? {
      let isAnimated = (try? WebP.info(data).frameCount > 1) ?? false
      return isAnimated
        ? try? animatedImage(webP: data, scale: CGFloat(scale)) : try? UIImage(webP: data, scale: CGFloat(scale))
    }
  }

  extension UIImageView {
    /// Loads and shows a WebP, with a loader that all views of Objective-C share.
    ///
    ///     [cell.photo webp_setImageWithURL:url placeholder:gray completion:^(NSError *error) { }];
    ///
    /// - Parameter completion: Called with nil when the image is complete, or with an error. Not called after
    ///   cancellation.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_setImageWithURL:placeholder:completion:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func setWebPImage(
      url: URL?, placeholder: UIImage?, completion: (@MainActor ((any Error)?) -> Void)?
    ) {
      setWebP(url, loader: sharedLoader, placeholder: placeholder) { result in
        switch result {
        case .success: completion?(nil)
        case .failure(let error): completion?(error)
        }
      }
    }

    /// Cancels the load of the view, and ends the playback. Call it in `prepareForReuse`.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_cancelImage)
    #endif
    @available(swift, obsoleted: 1.0)
    public func cancelWebPImage() { cancelWebP() }
  }

  private let sharedLoader = WebP.ImageLoader()
#endif
