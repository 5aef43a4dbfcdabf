import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client that loads a gallery in three ways: as PNG from the server, through the URL protocol, and with an image
/// loader as views do.
struct GalleryClient: Sendable {
  private let url: URL
  private let output: URL?

  init(_ url: URL, output: URL?) {
    self.url = url
    self.output = output
  }

  func run() async throws {
    let plain = URLSession(configuration: .ephemeral)
    let names = try JSONDecoder().decode([String].self, from: await plain.data(from: url.appending("pictures.json")).0)

    let cache = FileManager.default.temporaryDirectory.appendingPathComponent("gallery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: cache) }
    var options = WebPURLProtocol.Options()
    options.cache = WebP.ImageCache(folder: cache)
    let session = URLSession(configuration: .ephemeral.withWebP(options))
    let loader = WebP.ImageLoader(configuration: .ephemeral, cache: options.cache)

    print("image                      WebP    PNG by the server   PNG by the protocol   again, offline   in a view")
    for name in names {
      let picture = url.appending("pictures").appending(name)
      var request = URLRequest(url: picture)
      request.setValue("image/webp", forHTTPHeaderField: "Accept")
      let (webP, response) = try await plain.data(for: request)
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Missing(url: picture) }
      let byServer = try await plain.data(from: picture).0
      let byProtocol = try await session.data(from: picture).0
      options.cache?.isOffline = true
      let again = try await session.data(from: picture).0
      options.cache?.isOffline = false
      let view = try await show(picture, loader)
      // Server and protocol use the same converter.
      guard byServer == byProtocol, again == byProtocol else { throw Difference(name: name) }
      print(name.column(24), webP.size, byServer.size.column(19), byProtocol.size.column(21), "same".column(16), view)
      if let output {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try byProtocol.write(to: output.appending(name).deletingPathExtension().appendingPathExtension("png"))
      }
    }
  }

  /// Loads an image as a view does.
  ///
  /// - Returns: the updates that the view would show.
  private func show(_ picture: URL, _ loader: WebP.ImageLoader) async throws -> String {
    var steps: [String] = []
    for try await update in loader.updates(for: picture) {
      switch update {
      case .placeholder(_, let size): steps.append("\(size.width) × \(size.height)")
      case .rows(_, let rows): steps.append("to row \(rows.upperBound)")
      case .cached: steps.append("cached")
      case .finished(let loaded): steps.append(loaded.animation == nil ? "complete" : "animated")
      @unknown default: break
      }
    }
    return steps.joined(separator: ", ")
  }

  struct Missing: Error, CustomStringConvertible {
    let url: URL
    var description: String { "\(url): the server has no such image" }
  }

  struct Difference: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name): the server's PNG and the client's PNG differ" }
  }
}

extension Data {
  fileprivate var size: String { "\(count)".leading(7) }
}

extension String {
  fileprivate func column(_ width: Int) -> String {
    padding(toLength: Swift.max(width, count), withPad: " ", startingAt: 0)
  }
  fileprivate func leading(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}

extension URL {
  fileprivate func appending(_ name: String) -> URL { appendingPathComponent(name) }
}
