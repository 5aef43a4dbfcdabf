// Double of CoreGraphics (CGImage.h, CGDataProvider.h, CGColorSpace.h, CGContext.h): images that store their pixels,
// and contexts that count draws.
@_exported import Foundation

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif

public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject

public final class CGDataProvider: @unchecked Sendable {
  public let data: CFData

  /// CGDataProvider.h: retains the data, which is not copied.
  public init?(data: CFData) { self.data = data }
}

public final class CGColorSpace: Sendable {
  public static var sRGB: CFString { "sRGB" as NSString }

  /// Nil if tests remove the color spaces: both initializers may fail.
  public static let areMissing = Setting(false)
  /// The profile. Nil for a color space with a name.
  public let profile: Data?
  public var model: CGColorSpaceModel { .rgb }
  public var name: CFString? { profile == nil ? Self.sRGB : nil }
  public func copyICCData() -> CFData? { profile as CFData? }

  public init?(name: CFString) {
    if Self.areMissing.value { return nil }
    profile = nil
  }

  public init?(iccData: CFTypeRef) {
    if Self.areMissing.value { return nil }
    profile = iccData as? Data
  }
}

public enum CGColorSpaceModel: Int32, Sendable {
  case unknown = -1
  case monochrome, rgb
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public final class CGImage: Sendable {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  public let alphaInfo: CGImageAlphaInfo
  public let colorSpace: CGColorSpace?
  public let dataProvider: CGDataProvider?
  private let rowBytes: Int

  /// CGImage.h: each row has at least the bytes of its pixels, and the provider has all rows.
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    let rowBytes = width * bitsPerPixel / 8
    guard width > 0, height > 0, bytesPerRow >= rowBytes,
      provider.data.length >= (height - 1) * bytesPerRow + rowBytes,
      let alphaInfo = CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & 31)
    else { return nil }
    (self.width, self.height, self.bytesPerRow, self.rowBytes) = (width, height, bytesPerRow, rowBytes)
    (self.alphaInfo, colorSpace, dataProvider) = (alphaInfo, space, provider)
  }

  /// An image that only has a size, for tests.
  public init(withoutPixels width: Int, height: Int) {
    (self.width, self.height, bytesPerRow, rowBytes) = (width, height, 4 * width, 4 * width)
    (alphaInfo, colorSpace, dataProvider) = (.none, nil, nil)
  }

  /// The bytes of the pixels, without the bytes between rows, for tests.
  public var pixels: Data {
    guard let data = dataProvider.map({ $0.data as Data }) else { return Data() }
    return (0..<height).reduce(into: Data()) { $0 += data.dropFirst($1 * bytesPerRow).prefix(rowBytes) }
  }
}

public final class CGContext {
  /// The images that were drawn, for tests.
  public private(set) var drawn: [CGImage] = []
  private let data: UnsafeMutableRawPointer?

  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) { unsafe self.data = data }

  /// Copies the pixels: contexts here have the size and the layout of what is drawn.
  public func draw(_ image: CGImage, in rectangle: CGRect) {
    drawn.append(image)
    let pixels = image.pixels
    if let data = unsafe data {
      pixels.withUnsafeBytes { unsafe data.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
  }
}

extension ProcessInfo {
  /// Declared by Foundation on Apple's systems (NSProcessInfo.h).
  @available(macOS 12, iOS 9, tvOS 9, watchOS 2, *)
  public var isLowPowerModeEnabled: Bool { Self.lowPower.value }
  public static let lowPower = Setting(false, .NSProcessInfoPowerStateDidChange)
}

extension Notification.Name {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  @available(macOS 12, iOS 9, tvOS 9, watchOS 2, *)
  public static let NSProcessInfoPowerStateDidChange = Notification.Name("NSProcessInfoPowerStateDidChange")
}

/// A setting of the system, which tests change on the main thread. It reports changes by a notification.
public final class Setting<Value>: @unchecked Sendable {
  public var value: Value {
    didSet { if let notification { NotificationCenter.default.post(name: notification, object: nil) } }
  }
  private let notification: Notification.Name?

  public init(_ value: Value, _ notification: Notification.Name? = nil) {
    (self.value, self.notification) = (value, notification)
  }
}
