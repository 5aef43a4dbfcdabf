// The path of an image through Nuke 13.2.0: Tasks/TaskLoadImage.swift, Tasks/TaskFetchOriginalImage.swift,
// Internal/ImageRequestKeys.swift, Pipeline/ImagePipeline+Delegate.swift.
import PlatformNames

public final class ImagePipeline {
  public enum PreviewPolicy: Sendable, Equatable {
    case incremental, thumbnail, disabled
  }

  /// The user info is not part of the key. Processors are, which the decoder does not see.
  private struct MemoryCacheKey: Hashable {
    let imageID: String?
    let scale: Float
    let thumbnail: ImageRequest.ThumbnailOptions?

    init(_ request: ImageRequest) {
      (imageID, scale, thumbnail) = (request.imageID, request.scale, request.thumbnail)
    }
  }

  /// Identifies a task that loads and decodes an image before it is processed.
  private struct TaskFetchOriginalImageKey: Hashable {
    let url: URL?
    let scale: Float
    let thumbnail: ImageRequest.ThumbnailOptions?

    init(_ request: ImageRequest) { (url, scale, thumbnail) = (request.url, request.scale, request.thumbnail) }
  }

  private let registry: ImageDecoderRegistry
  private let files: [URL: Data]
  private let previewPolicy: PreviewPolicy
  private var memory: [MemoryCacheKey: ImageContainer] = [:]
  public private(set) var previews: [ImageContainer] = []

  /// - Parameters:
  ///   - files: The files of the server.
  ///   - previewPolicy: The result of the delegate. By default, only JPEG and GIF have previews.
  public init(registry: ImageDecoderRegistry, files: [URL: Data], previewPolicy: PreviewPolicy = .disabled) {
    self.registry = registry
    self.files = files
    self.previewPolicy = previewPolicy
  }

  /// Loads images at the same time, as a list of views does.
  public func images(for requests: [ImageRequest]) throws -> [ImageContainer] {
    var tasks: [TaskFetchOriginalImageKey: ImageContainer] = [:]
    return try requests.map { request in
      if let container = memory[MemoryCacheKey(request)] { return container }
      let key = TaskFetchOriginalImageKey(request)
      let container = try tasks[key] ?? decode(request)
      tasks[key] = container
      memory[MemoryCacheKey(request)] = container
      return container
    }
  }

  /// One decoder receives the partial data and the complete data.
  private func decode(_ request: ImageRequest) throws -> ImageContainer {
    guard let url = request.url, let data = files[url] else { throw CocoaError(.fileNoSuchFile) }
    var context = ImageDecodingContext(request: request, data: data.prefix(100), isCompleted: false)
    context.previewPolicy = previewPolicy
    guard let decoder = registry.decoder(for: context) else { throw CocoaError(.coderInvalidValue) }
    for count in stride(from: 100, to: data.count, by: 500) {
      decoder.decodePartiallyDownloadedData(data.prefix(count)).map { previews.append($0) }
    }
    return try decoder.decode(data)
  }
}
