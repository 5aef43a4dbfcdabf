import PureWebP
import WebPExport

/// The result of decoding a file, as the reference tables record it.
public struct Verdict: Equatable, Sendable, CustomStringConvertible {
  /// 0, or the value of libwebp's VP8StatusCode for the error.
  public var status: Int
  public var width = 0
  public var height = 0
  /// The CRC-32 of the pixels.
  public var sum: UInt32 = 0

  public init(status: Int, width: Int = 0, height: Int = 0, sum: UInt32 = 0) {
    self.status = status
    self.width = width
    self.height = height
    self.sum = sum
  }

  /// Decodes a file with PureWebP.
  public init(_ file: [UInt8], options: WebP.DecodeOptions = WebP.DecodeOptions()) {
    do throws(WebP.DecodeError) {
      let image = try WebP.decode(file, options: options)
      self.init(status: 0, width: image.width, height: image.height, sum: crc32(image.pixels.span))
    } catch {
      self.init(status: error.kind == .limitExceeded ? Self.limitExceeded : error.status)
    }
  }

  /// The status if the file exceeds a limit of PureWebP that libwebp does not have.
  public static let limitExceeded = -1
  /// The status of animations in libwebp's still decoder. PureWebP decodes their first frame.
  public static let unsupportedFeature = 4

  public static let names = [
    "ok", "out-of-memory", "invalid-param", "bitstream-error", "unsupported-feature", "suspended", "user-abort",
    "not-enough-data",
  ]

  public var description: String {
    switch status {
    case 0: "\(width) x \(height), \(hexadecimal(sum))"
    case Self.limitExceeded: "limit"
    default: Self.names[status]
    }
  }
}

/// Returns eight hexadecimal digits.
public func hexadecimal(_ sum: UInt32) -> String {
  let digits = String(sum, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}

extension WebP.DecodeOptions {
  /// The default options. They are the first of four sets of options for which the tables have checksums.
  public static let rgba = Self()
  public static let yuva = {
    var options = Self()
    options.format = .yuva
    return options
  }()
  public static let nearestRGBA = {
    var options = Self()
    options.upsampling = .nearest
    return options
  }()
  public static let unfilteredYUVA = {
    var options = yuva
    options.bypassesLoopFilter = true
    return options
  }()
}
