import Foundation
import Hummingbird
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads images from permitted servers. On Linux, a server could end this process if the loads used `URLSession`.
struct RemoteImages: Sendable {
  private let loader: WebP.ImageLoader
  private let options: WebP.ImageLoader.Options

  /// - Parameters:
  ///   - origins: the permitted servers, such as `https://images.example.org`.
  ///   - limits: the limits for files.
  init(origins: Set<String>, limits: WebP.Limits) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.timeoutIntervalForRequest = 10
    configuration.timeoutIntervalForResource = 30
    let transport = PermittedOrigins(origins: origins, transport: AsyncHTTPClientTransport())
    loader = WebP.ImageLoader(configuration: configuration, transport: transport, minimumBytesPerSecond: 10_000)
    options = .init(retriesFailed: true, decoding: .init(limits: limits))
  }

  /// Loads a file. Clients that request the same URL at the same time share one load and the memory of its file.
  ///
  /// - Throws: `WebP.LoadError`, or `HTTPError` if the URL is not an http or https URL. Ends early if the task is
  ///   canceled.
  func load(_ url: URL) async throws -> Data {
    // The loader also reads files.
    guard ["http", "https"].contains(url.scheme?.lowercased()) else { throw HTTPError(.forbidden) }
    return try await loader.data(for: url, options: options)
  }
}

/// Refuses requests to other servers. The loader follows redirects itself, so that each of them is checked too.
private struct PermittedOrigins: WebP.Transport {
  let origins: Set<String>
  let transport: any WebP.Transport

  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    guard let url = request.url, let scheme = url.scheme, let host = url.host,
      origins.contains("\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")".lowercased())
    else { throw URLError(.noPermissionsToReadFile) }
    return try await transport.send(request, options: options)
  }
}
