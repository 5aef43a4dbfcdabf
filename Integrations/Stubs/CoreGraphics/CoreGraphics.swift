// Images of CoreGraphics that only store their pixels.
@_exported import Foundation

public typealias CFData = NSData
public typealias CFString = NSString

public final class CGDataProvider: Sendable {
  let data: Data

  public init?(data: CFData) { self.data = Data(referencing: data) }
}

public final class CGColorSpace: Sendable {
  public static var sRGB: CFString { "sRGB" as NSString }

  public init?(name: CFString) {}
  public init?(iccData: AnyObject) {}
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 4 << 12)
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent
}

public final class CGImage: Sendable {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  public let alphaInfo: CGImageAlphaInfo
  /// The bytes of the pixels, without the bytes between rows, for tests.
  public let pixels: Data

  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    let rowBytes = width * bitsPerPixel / 8
    guard bytesPerRow >= rowBytes, provider.data.count >= (height - 1) * bytesPerRow + rowBytes,
      let alphaInfo = CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & 31)
    else { return nil }
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.alphaInfo = alphaInfo
    pixels = (0..<height).reduce(into: Data()) { $0 += provider.data.dropFirst($1 * bytesPerRow).prefix(rowBytes) }
  }

  /// An image that only has a size, for tests.
  public init(withoutPixels width: Int, height: Int) {
    self.width = width
    self.height = height
    (bytesPerRow, alphaInfo, pixels) = (4 * width, .none, Data())
  }
}

extension ProcessInfo {
  /// Declared by Foundation on Apple's systems.
  public var isLowPowerModeEnabled: Bool { false }
}
