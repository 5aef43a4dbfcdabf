import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One load of the protocol's: from the request, by way of the cache or the server, to the client.
///
///     waiting ──▶ sniffing ──▶ converting ──▶ done        a WebP
///        │            └──────▶ passing ─────▶ done        called a WebP, but none
///        ├───────────────────▶ passing ─────▶ done        anything else
///        └────────────────────────────────▶ done        answered from the cache, failed, stopped
///
/// All of it happens on `queue`, but for `init`, `start` and `stop`.
final class Load: InnerLoad, @unchecked Sendable {
  let queue = DispatchQueue(label: "WebPLoading.Load")

  private let request: URLRequest
  /// The request to the server.
  private var inner: URLRequest
  /// Nil without a cache.
  private var cached: CachedLoad?
  private let registration: Registration
  private let client: LoadClient
  private var task: URLSessionTask?
  private var phase = Phase.waiting
  /// The PNG as far as it is made, if it is going to be kept.
  private var kept: Data?

  private enum Phase {
    case waiting
    /// With the bytes that have come.
    case sniffing(HTTPURLResponse, Data)
    case converting(HTTPURLResponse, WebP.PNGConverter)
    case passing
    case done
  }

  init(_ request: URLRequest, _ registration: Registration, client: LoadClient) {
    self.request = request
    let inner = request.inner
    self.inner = inner
    cached = registration.options.cache.map { CachedLoad($0, .png, registration.session.completed(inner)) }
    self.registration = registration
    self.client = client
  }

  func start() {
    queue.async { self.begin() }
  }

  /// Nothing is told to the client any more when this has returned.
  func stop() {
    client.close()
    queue.async { self.end() }
  }

  private func begin() {
    guard case .waiting = phase else { return }
    do {
      if let entry = try cached?.begin(&inner) {
        deliver(entry)
      } else {
        try inner.readBody()
        task = registration.session.start(inner, for: self)
      }
    } catch {
      fail(URLError(error.code, error.localizedDescription, url: request.url))
    }
  }

  private func end() {
    phase = .done
    task?.cancel()
    task = nil
    kept = nil
    cached = nil
  }

  private func fail(_ error: any Error) {
    client.fail(error)
    end()
  }

  private func deliver(_ entry: WebP.ImageCache.Entry) {
    let response = entry.response(url: entry.url.outer(for: request))
    client.receive { _ in response }
    client.receive(entry.body)
    client.finish()
    end()
  }
}

// MARK: What the inner session tells

extension Load {
  func didReceive(_ response: URLResponse) {
    guard case .waiting = phase else { return }
    guard let response = response as? HTTPURLResponse else {
      pass(response)
      return
    }
    if let entry = cached?.receive(response) {
      deliver(entry)
      return
    }
    if response.mayBeWebP {
      phase = .sniffing(response, Data())
    } else {
      pass(response)
    }
  }

  func didReceive(_ data: Data) {
    switch phase {
    case .sniffing(let response, var held):
      held.append(data)
      phase = .sniffing(response, held)
      if held.count >= Data.webPSignatureLength { decide() }
    case .converting(_, let converter):
      convert { () throws(WebP.ConversionError) in try converter.append(data) }
    case .passing:
      client.receive(data)
    case .waiting, .done:
      break
    }
  }

  func didComplete(_ error: (any Error)?) {
    if case .done = phase { return }
    if let error {
      fail(error)
      return
    }
    if case .sniffing = phase { decide() }
    if case .converting(let response, let converter) = phase {
      convert { () throws(WebP.ConversionError) in try converter.finish() }
      guard case .converting = phase else { return }
      if let kept { cached?.keep(kept, of: response) }
    }
    if case .waiting = phase {
      fail(URLError(.badServerResponse))
      return
    }
    task = nil
    client.finish()
    end()
  }

  /// Looks at the first bytes.
  private func decide() {
    guard case .sniffing(let response, let held) = phase else { return }
    guard held.hasWebPSignature else {
      pass(response)
      client.receive(held)
      return
    }
    let converter = WebP.PNGConverter(options: registration.options.conversion)
    converter.check = { [client] _ in if client.isClosed { throw CancellationError() } }
    phase = .converting(response, converter)
    if cached?.mayKeep(response) == true { kept = Data() }
    let url = response.url?.outer(for: request)
    client.receive { response.converted(url: url, length: $0) }
    convert { () throws(WebP.ConversionError) in try converter.append(held) }
  }

  private func pass(_ response: URLResponse) {
    phase = .passing
    guard let http = response as? HTTPURLResponse else {
      client.receive { _ in response }
      return
    }
    cached?.removeOlder(than: http)
    let passed = http.passed(url: http.url?.outer(for: request))
    client.receive { _ in passed }
  }

  private func convert(_ step: () throws(WebP.ConversionError) -> Data) {
    do {
      let png = try step()
      kept?.append(png)
      client.receive(png)
    } catch {
      if case .converting(let response, _) = phase, error.isOfThePicture { cached?.removeOlder(than: response) }
      fail(URLError(error, url: request.url))
    }
  }
}
