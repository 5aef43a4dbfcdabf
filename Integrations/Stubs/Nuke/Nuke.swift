// Declarations of Nuke 13.2.
@_exported import UIKit

public typealias PlatformImage = UIImage

public protocol ImageDecoding: Sendable {
  var isAsynchronous: Bool { get }
  func decode(_ data: Data) throws -> ImageContainer
  func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
  public var isAsynchronous: Bool { true }
  public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

public struct AssetType: Hashable, Sendable {
  public let rawValue: String
  public static let webp = AssetType(rawValue: "public.webp")
}

public struct ImageContainer: Sendable {
  public var image: PlatformImage
  public var type: AssetType?
  public var isPreview: Bool
  public var data: Data?

  public init(image: PlatformImage, type: AssetType? = nil, isPreview: Bool = false, data: Data? = nil) {
    self.image = image
    self.type = type
    self.isPreview = isPreview
    self.data = data
  }
}

public struct ImageRequest: Sendable {
  public struct UserInfoKey: Hashable, ExpressibleByStringLiteral, Sendable {
    let name: String
    public init(stringLiteral value: String) { name = value }
  }

  public var userInfo: [UserInfoKey: any Sendable] = [:]

  public init(url: URL?) {}
}

public struct ImageDecodingContext: Sendable {
  public var request: ImageRequest
  public var data: Data
  public var isCompleted: Bool

  public init(request: ImageRequest, data: Data, isCompleted: Bool = true) {
    self.request = request
    self.data = data
    self.isCompleted = isCompleted
  }
}

public final class ImageDecoderRegistry: @unchecked Sendable {
  public static let shared = ImageDecoderRegistry()
  private var matches: [@Sendable (ImageDecodingContext) -> (any ImageDecoding)?] = []

  public init() {}

  public func register(_ match: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?) {
    matches.append(match)
  }

  /// Asks the last registered decoder first.
  public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
    for match in matches.reversed() {
      if let decoder = match(context) { return decoder }
    }
    return nil
  }
}
