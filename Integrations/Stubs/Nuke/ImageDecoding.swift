// Declarations of Nuke 13.2.0: Decoding/ImageDecoding.swift, Decoding/ImageDecoderRegistry.swift,
// Decoding/AssetType.swift, ImageContainer.swift, Pipeline/ImagePipeline+Configuration.swift.
@_exported import PlatformNames

public typealias PlatformImage = UIImage

public protocol ImageDecoding: Sendable {
  var isAsynchronous: Bool { get }
  func decode(_ data: Data) throws -> ImageContainer
  /// - Parameter data: All data so far.
  func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
  public var isAsynchronous: Bool { true }
  public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

public struct AssetType: Hashable, Sendable {
  public let rawValue: String
  public static let webp = AssetType(rawValue: "org.webmproject.webp")
}

public struct ImageContainer: Sendable {
  public struct UserInfoKey: Hashable, Sendable {}

  public var image: PlatformImage
  public var type: AssetType?
  public var isPreview: Bool
  public var data: Data?
  public var userInfo: [UserInfoKey: any Sendable]

  public init(
    image: PlatformImage, type: AssetType? = nil, isPreview: Bool = false, data: Data? = nil,
    userInfo: [UserInfoKey: any Sendable] = [:]
  ) {
    self.image = image
    self.type = type
    self.isPreview = isPreview
    self.data = data
    self.userInfo = userInfo
  }
}

public struct ImageDecodingContext: Sendable {
  public var request: ImageRequest
  public var data: Data
  public var isCompleted: Bool
  public var previewPolicy: ImagePipeline.PreviewPolicy = .incremental

  public init(request: ImageRequest, data: Data, isCompleted: Bool = true) {
    self.request = request
    self.data = data
    self.isCompleted = isCompleted
  }
}

public final class ImageDecoderRegistry: @unchecked Sendable {
  public struct RegistrationToken: Hashable, Sendable {}

  public static let shared = ImageDecoderRegistry()
  private var matches: [@Sendable (ImageDecodingContext) -> (any ImageDecoding)?] = []

  /// Registers Nuke's own decoder, which decodes everything that ImageIO can decode.
  public init() { register { ImageDecoders.Default(context: $0) } }

  @discardableResult
  public func register(
    _ match: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
  ) -> RegistrationToken {
    matches.append(match)
    return RegistrationToken()
  }

  /// Asks the last registered decoder first.
  public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
    for match in matches.reversed() {
      if let decoder = match(context) { return decoder }
    }
    return nil
  }
}

public enum ImageDecoders {
  /// Decodes nothing here.
  public final class Default: ImageDecoding {
    public let thumbnail: ImageRequest.ThumbnailOptions?

    public init?(context: ImageDecodingContext) { thumbnail = context.request.thumbnail }

    public func decode(_ data: Data) throws -> ImageContainer { throw CocoaError(.coderInvalidValue) }
  }
}
