import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that programs can distinguish the errors of loads.
/// Expected values: Foundation's codes as numbers (NSURLError.h), and the kinds of the article Limits and errors.
@Suite struct LoadErrorTests {
  private let url = URL(string: "http://a/b.webp")!

  /// The error of a load that is repeated after temporary failures, and the number of its requests.
  private func failure(_ steps: Step...) async throws -> (WebP.LoadError, requests: Int, again: Int) {
    let transport = ScriptedTransport { _ in steps }
    let loader = WebP.ImageLoader(configuration: .patient, transport: transport)
    let retrying = WebP.ImageLoader.Options(maximumRetries: 2, retryDelay: 0)
    let error = await #expect(throws: WebP.LoadError.self) { try await loader.data(for: url, options: retrying) }
    let count = transport.requests.count
    await #expect(throws: WebP.LoadError.self) { try await loader.data(for: url) }
    return (try #require(error), count, transport.requests.count - count)
  }

  private func expect(_ error: WebP.LoadError, _ kind: WebP.ErrorKind, _ code: Int) {
    #expect(error.kind == kind && WebP.ErrorKind(error) == kind && error.url == url)
    let foundation = error as NSError
    #expect(foundation.domain == "NSURLErrorDomain" && foundation.code == code)
    #expect(foundation.userInfo[NSUnderlyingErrorKey] is URLError)
    #expect(error.underlyingError.errorCode == code)
    #expect(foundation.localizedDescription == error.description && error.localizedDescription == error.description)
  }

  /// Temporary failures are retried twice. Permanent ones are remembered.
  @Test(arguments: [
    (204, WebP.ErrorKind.network, -1011), (206, .network, -1011), (304, .network, -1011), (400, .network, -1011),
    (401, .network, -1013), (403, .network, -1102), (404, .notFound, -1100), (407, .network, -1013),
    (408, .unavailable, -1011), (410, .notFound, -1100), (425, .unavailable, -1011), (429, .unavailable, -1011),
    (500, .unavailable, -1011), (503, .unavailable, -1011), (599, .unavailable, -1011),
  ]) func statusesDetermineTheError(status: Int, kind: WebP.ErrorKind, code: Int) async throws {
    let (error, requests, again) = try await failure(.head(status))
    expect(error, kind, code)
    #expect(error.status == status && error.description.contains("\(status)") && error.unsupportedFormat == nil)
    #expect(requests == (kind == .unavailable ? 3 : 1) && again == (kind == .notFound ? 0 : 1))
  }

  @Test(arguments: [
    (URLError.Code.timedOut, WebP.ErrorKind.unavailable), (.notConnectedToInternet, .unavailable),
    (.cannotFindHost, .unavailable), (.cannotConnectToHost, .unavailable), (.networkConnectionLost, .unavailable),
    (.dnsLookupFailed, .unavailable), (.unknown, .unavailable), (.badServerResponse, .network),
    (.secureConnectionFailed, .network), (.cancelled, .network), (.unsupportedURL, .invalidOptions),
    (.badURL, .invalidOptions),
  ]) func errorsOfTheTransportStay(code: URLError.Code, kind: WebP.ErrorKind) async throws {
    let (error, requests, again) = try await failure(.fail(URLError(code)))
    expect(error, kind, code.rawValue)
    #expect(error.status == nil && requests == (kind == .unavailable ? 3 : 1) && again == 1)
  }

  /// Other errors of a transport mean that the connection failed.
  @Test func errorsOfOtherTypesAreFailuresOfTheConnection() async throws {
    for cause in [POSIXError(.ECONNRESET), POSIXError(.ENOENT), CocoaError(.fileNoSuchFile)] as [any Error] {
      let (error, requests, _) = try await failure(.fail(cause))
      expect(error, .unavailable, -1005)
      #expect(requests == 3)
    }
  }

  /// A corrupt file stays corrupt.
  @Test func corruptFilesAreNotRequestedAgain() async throws {
    let transport = ScriptedTransport(.head(200), .piece(try Fixtures.bytes("animation-nothing.webp")))
    let loader = WebP.ImageLoader(configuration: .patient, transport: transport)
    let retrying = WebP.ImageLoader.Options(maximumRetries: 2, retryDelay: 0)
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: url, options: retrying) }
    #expect(transport.requests.count == 1)
  }

  /// The transport reports that its task was canceled. The load does not.
  @Test func canceledLoadsThrowCancellationErrors() async {
    struct CanceledTransport: WebP.Transport {
      let gate: Gate

      func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
        do { try await gate.wait() } catch { throw URLError(.cancelled) }
        throw URLError(.badServerResponse)
      }
    }
    let gate = Gate()
    let loader = WebP.ImageLoader(configuration: .patient, transport: CanceledTransport(gate: gate))
    let loads = [
      Task { _ = try await loader.image(for: url) }, Task { _ = try await loader.data(for: url) },
      Task { for try await _ in loader.updates(for: url) {} },
    ]
    await gate.arrival()
    for load in loads { load.cancel() }
    for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
  }

  @Test func errorsOfFilesHaveKinds() async throws {
    let folder = try TemporaryFolder.make()
    let gif = folder.appendingPathComponent("a.webp")
    try Data("GIF89a".utf8).write(to: gif)
    let files: [(URL, WebP.DecodeOptions, WebP.ErrorKind, Int)] = [
      (gif, .init(), .notWebP, -1016), (gif, .init(limits: .init(maximumBytes: 5)), .limitExceeded, -1103),
      (folder.appendingPathComponent("none"), .init(), .notFound, -1100),
      (gif.appendingPathComponent("none"), .init(), .notFound, -1100), (folder, .init(), .network, -1100),
    ]
    for (file, options, kind, code) in files {
      let error = #expect(throws: WebP.LoadError.self) { try WebP.decode(contentsOf: file, options: options) }
      #expect(error?.kind == kind && error?.errorCode == code && error?.url == file)
      #expect(error?.description.hasPrefix("\(file.lastPathComponent): ") == true)
      let loading = await #expect(throws: WebP.LoadError.self) {
        try await WebP.ImageLoader(configuration: .patient).image(for: file, options: .init(decoding: options))
      }
      #expect(loading?.kind == kind && loading?.errorCode == code && loading?.url == file)
      #expect([error, loading].allSatisfy { $0?.unsupportedFormat == (kind == .notWebP ? "a GIF image" : nil) })
    }
    let error = #expect(throws: WebP.LoadError.self) { try WebP.decode(contentsOf: url) }
    #expect(error?.kind == .invalidOptions && error?.errorCode == -1002)
  }
}
