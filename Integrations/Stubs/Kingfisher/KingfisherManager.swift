// The path of an image through Kingfisher 8.11.0: General/KingfisherManager.swift, Cache/ImageCache.swift.
import PlatformNames

public final class KingfisherManager {
  public enum CacheType: Sendable { case none, memory, disk }

  private var memory: [String: UIImage] = [:]
  public private(set) var disk: [String: Data] = [:]

  public init() {}

  public func clearMemoryCache() { memory = [:] }

  /// Stores an image of the app with the key of the default processor.
  public func store(_ image: UIImage, forKey key: String) { memory[key] = image }

  /// - Parameter download: The file on the server.
  public func retrieveImage(
    forKey key: String, download: Data, options info: KingfisherOptionsInfo
  ) -> (image: UIImage, cacheType: CacheType)? {
    let options = KingfisherParsedOptionsInfo(info)
    let identifier = options.processor.identifier
    let target = identifier.isEmpty ? key : "\(key)@\(identifier)"
    if let (cached, type) = retrieve(target, options) {
      var image = cached
      if options.cacheSerializer.originalDataUsed {
        guard let processed = options.processor.process(item: .image(image), options: options) else { return nil }
        image = processed
      }
      // If an animated image was created with other options, it is processed again.
      let state = ImageState[image]
      let isAnimated = state.frameCount.map { $0 != 1 } ?? false
      if isAnimated, state.options != options.imageCreatingOptions, let data = state.data {
        guard let processed = options.processor.process(item: .data(data), options: options) else { return nil }
        image = processed
      }
      return (image, type)
    }
    // An image that was stored without this processor.
    if let (original, type) = retrieve(key, options) {
      guard let image = options.processor.process(item: .image(original), options: options) else { return nil }
      store(image, original: nil, target, options)
      return (image, type)
    }
    guard let image = options.processor.process(item: .data(download), options: options) else { return nil }
    store(image, original: download, target, options)
    return (image, .none)
  }

  private func retrieve(_ key: String, _ options: KingfisherParsedOptionsInfo) -> (UIImage, CacheType)? {
    if let image = memory[key] { return (image, .memory) }
    guard let data = disk[key], let image = options.cacheSerializer.image(with: data, options: options) else {
      return nil
    }
    memory[key] = image
    return (image, .disk)
  }

  private func store(_ image: UIImage, original: Data?, _ key: String, _ options: KingfisherParsedOptionsInfo) {
    memory[key] = image
    disk[key] = options.cacheSerializer.data(with: image, original: original)
  }
}
