import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads a gallery in three ways: as a client that knows PNG alone, through the URL protocol, and picture by picture as
/// views do.
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

    print("picture                    WebP    PNG by the server   PNG by the protocol   again, offline   in a view")
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
      // Both are made by the same converter.
      guard byServer == byProtocol, again == byProtocol else { throw Difference(name: name) }
      print(name.column(24), webP.size, byServer.size.column(19), byProtocol.size.column(21), "same".column(16), view)
      if let output {
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try byProtocol.write(to: output.appending(name).deletingPathExtension().appendingPathExtension("png"))
      }
    }
  }

  /// Loads as a view does.
  ///
  /// - Returns: what was to be seen on the way.
  private func show(_ picture: URL, _ loader: WebP.ImageLoader) async throws -> String {
    var steps: [String] = []
    for try await update in loader.updates(for: picture) {
      switch update {
      case .placeholder(_, let width, let height): steps.append("\(width) × \(height)")
      case .rows(_, let rows): steps.append("to row \(rows.upperBound)")
      case .finished(let loaded): steps.append(loaded.animation == nil ? "whole" : "animated")
      }
    }
    return steps.joined(separator: ", ")
  }

  struct Missing: Error, CustomStringConvertible {
    let url: URL
    var description: String { "\(url): the server has no such picture" }
  }

  struct Difference: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name): the server's PNG and the client's are not the same" }
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
