@_exported import CGTypes
@_exported import Foundation

public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject

// Extensions cannot add initializers to these types, so protocol extensions declare the initializers.

public protocol DataProvider {}
extension CGDataProvider: DataProvider {}
extension DataProvider {
  public init?(data: CFData) { return nil }
}

public protocol ColorSpace {}
extension CGColorSpace: ColorSpace {}
extension ColorSpace {
  public init?(name: CFString) { return nil }
  public init?(iccData: CFTypeRef) { return nil }
  public static var sRGB: CFString { fatalError() }
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static var byteOrder32Big: CGBitmapInfo { .init(rawValue: 4 << 12) }
  public static var byteOrder32Little: CGBitmapInfo { .init(rawValue: 2 << 12) }
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public protocol ImageOfPixels {}
extension CGImage: ImageOfPixels {}
extension ImageOfPixels {
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) { return nil }
}

extension CGImage {
  public var width: Int { 0 }
  public var height: Int { 0 }
}

public protocol BitmapContext {}
extension CGContext: BitmapContext {}
extension BitmapContext {
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) { return nil }
}

extension CGContext {
  public func draw(_ image: CGImage, in rectangle: CGRect) {}
}

extension ProcessInfo {
  /// Declared by Foundation on Apple's systems.
  @available(macOS 12, iOS 9, tvOS 9, watchOS 2, *)
  public var isLowPowerModeEnabled: Bool { false }
}
