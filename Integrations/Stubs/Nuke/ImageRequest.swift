// Declarations of Nuke 13.2.0: ImageRequest.swift.
import PlatformNames

public struct ImageRequest: Sendable {
  public struct UserInfoKey: Hashable, ExpressibleByStringLiteral, Sendable {
    public let rawValue: String
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// Only Nuke itself can read the size.
  public struct ThumbnailOptions: Hashable, Sendable {
    let maxPixelSize: Float
    public var createThumbnailWithTransform = true

    public init(maxPixelSize: Float) { self.maxPixelSize = maxPixelSize }
  }

  public let url: URL?
  public var imageID: String?
  /// `CGFloat` in Nuke 14.
  public var scale: Float = 1
  public var thumbnail: ThumbnailOptions?
  public var userInfo: [UserInfoKey: any Sendable] = [:]

  public init(url: URL?) {
    self.url = url
    imageID = url?.absoluteString
  }
}
