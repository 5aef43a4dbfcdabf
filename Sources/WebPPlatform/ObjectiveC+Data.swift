// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The interface for Objective-C: conversion of data. In a file of its own, because only the standard library of Apple's
// systems has the type of the parameter `error` that `throws` becomes.

import Foundation
import PureWebP
import WebPExport

#if canImport(ObjectiveC.NSObject)
  @objc
#endif
@available(swift, obsoleted: 1.0)
extension NSData {
  /// Converts a WebP to a PNG, or to an animated PNG. Returns nil and an error if the data cannot be converted.
  ///
  ///     NSError *error;
  ///     NSData *png = [webp webp_PNGDataAndReturnError:&error];
  public func webp_PNGData() throws -> Data { try pngData(ofWebP: self as Data) }
}

func pngData(ofWebP bytes: Data) throws -> Data {
  var png = Data()
  _ = try WebP.writePNG(of: bytes) { png.append(contentsOf: $0) }
  return png
}

#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  @available(swift, obsoleted: 1.0)
  extension WebPPlatformImage {
    /// Decodes a WebP, and orients it as its metadata specifies. An animation has all its frames. Returns nil and an
    /// error if the data cannot be decoded.
    ///
    ///     NSError *error;
    ///     UIImage *image = [UIImage webp_imageWithData:data scale:2 error:&error];
    public static func webp_image(withData data: Data, scale: Double) throws -> WebPPlatformImage {
      try decoded(data, scale: CGFloat(scale))
    }
  }
#endif
