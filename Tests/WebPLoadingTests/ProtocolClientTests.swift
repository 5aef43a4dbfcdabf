import Foundation
import TestComparison
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a URL protocol does not call its client after `stopLoading`.
/// Expected values: the calls that a client records.
@Suite(.gated, .needs("python3")) struct ProtocolClientTests {
  /// One thread stops the load while another one delivers the response.
  @Test func clientsAreNotCalledAfterStopLoading() throws {
    let url = try #require(URL(string: "http://a/b.webp"))
    var calls = 0
    for _ in 0..<500 {
      let recorder = ClientRecorder()
      let request = URLRequest(url: url)
      let client = ProtocolClient(for: WebPURLProtocol(request: request, cachedResponse: nil, client: recorder))
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 5, textEncodingName: nil)
          client.receive { _ in response }
          client.receive(Data("bytes".utf8))
          client.finish()
        } else {
          client.close()
          recorder.stop()
        }
      }
      #expect(recorder.callsAfterStop == 0)
      calls += recorder.calls
    }
    // Without an obstacle, the client is called three times.
    #expect(calls <= 1500)
  }

  /// The client of a session is called on Foundation's queue, which also stops the load.
  @Test func canceledTasksReceiveNothing() async throws {
    let exchange = Exchange("four-megapixels.webp", ["piece": "1000"])
    for _ in 0..<4 {
      let recorder = Recorder()
      let session = recorder.session()
      let task = session.dataTask(with: exchange.url)
      task.resume()
      _ = await recorder.wait { $0.pieces > 0 || $0.isComplete }
      task.cancel()
      let record = await recorder.wait()
      #expect(record.error?.code == .cancelled || record.error == nil)
      session.invalidateAndCancel()
    }
  }
}

/// Counts the calls of a protocol's client.
private final class ClientRecorder: NSObject, URLProtocolClient, @unchecked Sendable {
  private let lock = NSLock()
  // Protected by the lock.
  private var isStopped = false
  private(set) var calls = 0
  private(set) var callsAfterStop = 0

  func stop() { lock.withLock { isStopped = true } }

  private func record() {
    lock.withLock {
      calls += 1
      if isStopped { callsAfterStop += 1 }
    }
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
  ) { record() }
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { record() }
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { record() }
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { record() }
  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
  ) { record() }
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) { record() }
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) { record() }
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) { record() }
}
