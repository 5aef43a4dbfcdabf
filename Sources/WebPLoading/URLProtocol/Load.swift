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
  /// The request to the server, as the cache knows it.
  private let asked: URLRequest
  private let registration: Registration
  private let client: LoadClient
  private var task: URLSessionTask?
  private var phase = Phase.waiting
  /// What the server was asked about, whether it is still right.
  private var staleEntry: ImageCache.Entry?
  /// The PNG as far as it is made, if it is going to be kept.
  private var kept: Data?

  private typealias ImageCache = WebP.ImageCache

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
    asked = registration.session.completed(registration.options.innerRequest(for: request))
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
    var inner = registration.options.innerRequest(for: request)
    if let cache = registration.options.cache {
      switch cache.answer(to: asked, form: .png) {
      case .fresh(let entry):
        deliver(entry)
        return
      case .stale(let entry):
        staleEntry = entry
        entry.addValidators(to: &inner)
      case .refused(let code):
        fail(URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: request.url as Any]))
        return
      case .nothing:
        break
      }
    }
    task = registration.session.start(inner, for: self)
  }

  private func end() {
    phase = .done
    task?.cancel()
    task = nil
    kept = nil
    staleEntry = nil
  }

  private func fail(_ error: any Error) {
    client.fail(error)
    end()
  }

  private func deliver(_ entry: WebP.ImageCache.Entry) {
    let response = entry.response(url: registration.options.outerURL(entry.url, for: request))
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
    if response.statusCode == 304, let entry = staleEntry, let cache = registration.options.cache {
      deliver(cache.renew(entry, with: response, to: asked))
      return
    }
    registration.options.cache?.invalidate(by: asked, answered: response)
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
      if let kept { registration.options.cache?.store(kept, form: .png, of: response, to: asked) }
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
    if registration.options.cache?.mayStore(response, to: asked) == true { kept = Data() }
    let url = registration.options.outerURL(response.url, for: request)
    client.receive { response.converted(url: url, length: $0) }
    convert { () throws(WebP.ConversionError) in try converter.append(held) }
  }

  private func pass(_ response: URLResponse) {
    phase = .passing
    guard let http = response as? HTTPURLResponse else {
      client.receive { _ in response }
      return
    }
    registration.options.cache?.removeOlder(than: http, to: asked)
    let passed = http.passed(url: registration.options.outerURL(http.url, for: request))
    client.receive { _ in passed }
  }

  private func convert(_ step: () throws(WebP.ConversionError) -> Data) {
    do {
      let png = try step()
      kept?.append(png)
      client.receive(png)
    } catch {
      if case .converting(let response, _) = phase, error.isOfThePicture {
        registration.options.cache?.removeOlder(than: response, to: asked)
      }
      fail(URLError(error, url: request.url))
    }
  }
}
