import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One load of the URL protocol: from the request, through the cache or the server, to the client.
///
///     waiting ──▶ sniffing ──▶ converting ──▶ done        a WebP
///        │            └──────▶ passing ─────▶ done        any other body with status 200
///        ├───────────────────▶ passing ─────▶ done        any other status
///        └────────────────────────────────▶ done        answered from the cache, failed or stopped
///
/// All methods except `init`, `start`, `stop` and `bodyLimit` run on `queue`.
final class Load: UpstreamLoad, @unchecked Sendable {
  let queue = DispatchQueue(label: "WebPLoading.Load")
  /// No minimum, because the timeouts of the app's session apply.
  let minimumBytesPerSecond = 0

  private let request: URLRequest
  /// The request that is sent to the server.
  private var inner: URLRequest
  /// The cache operations of this load. Nil if the options have no cache.
  private var cached: CachedLoad?
  private let registration: Registration
  private let client: LoadClient
  private var transfer: UpstreamTransfer?
  private var phase = Phase.waiting
  /// The bytes that were delivered so far, if they will be stored in the cache. Otherwise nil.
  private var kept: Data?

  private enum Phase {
    case waiting
    /// The first bytes of the body do not reveal yet whether it is a WebP. The data are the bytes so far.
    case sniffing(HTTPURLResponse, Data)
    case converting(HTTPURLResponse, WebP.PNGConverter)
    case passing(URLResponse)
    case done
  }

  init(_ request: URLRequest, _ registration: Registration, client: LoadClient) {
    self.request = request
    inner = request.inner
    self.registration = registration
    self.client = client
    cached = registration.options.cache.map { CachedLoad($0, .converted, registration.session.completed(inner)) }
  }

  func start() {
    queue.async { self.begin() }
  }

  /// Stops the load. The client receives nothing after this call.
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
        transfer = registration.session.start(inner, for: self)
      }
    } catch {
      fail(URLError(error.code, error.localizedDescription, url: request.url))
    }
  }

  private func end() {
    phase = .done
    transfer?.cancel()
    transfer = nil
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

// MARK: Events of the transfer

extension Load {
  func bodyLimit(for response: URLResponse) -> BodyLimit {
    let (options, status) = (registration.options, (response as? HTTPURLResponse)?.statusCode)
    let (maximum, waiting) = (options.conversion.limits.maximumBytes, options.waitingBytes)
    return status == 200 ? .imageIfWebP(maximumBytes: maximum, waiting: waiting) : .waiting(waiting)
  }

  func didReceive(_ response: URLResponse) {
    guard case .waiting = phase else { return }
    let http = response as? HTTPURLResponse
    if let http, let entry = cached?.receive(http) {
      deliver(entry)
    } else if let http, http.statusCode == 200 {
      // The Content-Type is not consulted, because some servers send WebP as image/jpeg or without a type.
      phase = .sniffing(http, Data())
    } else {
      pass(response)
    }
  }

  func didReceive(_ data: Data) {
    switch phase {
    case .sniffing(let response, var held):
      held.append(data)
      phase = .sniffing(response, held)
      if !held.mayBecomeWebPSignature { decide() }
    case .converting: convert(data)
    case .passing:
      pass(data)
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
    if case .converting(_, let converter) = phase {
      convert { () throws(WebP.ConversionError) in try converter.finish() }
    }
    switch phase {
    case .done: return
    case .waiting, .sniffing:
      fail(URLError(.badServerResponse))
      return
    case .converting(let response, _):
      if let kept { cached?.keep(kept, of: response) }
    case .passing(let response):
      if let kept, let response = response as? HTTPURLResponse { cached?.keep(kept, of: response, isOriginal: true) }
    }
    transfer = nil
    client.finish()
    end()
  }

  /// Converts the body if its first bytes are a WebP signature. Otherwise passes it on unchanged.
  private func decide() {
    guard case .sniffing(let response, let held) = phase else { return }
    guard WebP.isWebP(prefix: held) else {
      pass(response)
      pass(held)
      return
    }
    let converter = WebP.PNGConverter(options: registration.options.conversion)
    converter.check = { [client] _ in if client.isClosed { throw CancellationError() } }
    phase = .converting(response, converter)
    if cached?.mayKeep(response) == true { kept = Data() }
    let url = response.url?.outer(for: request)
    client.receive { HTTPURLResponse(png: response.headers, url: url ?? response.url, length: $0) ?? response }
    convert(held)
  }

  /// Converts bytes in small steps, so that the client receives each part of the PNG soon.
  private func convert(_ data: Data) {
    var rest = data
    while !rest.isEmpty, case .converting(_, let converter) = phase {
      let step = rest.prefix(1 << 16)
      rest = rest.dropFirst(step.count)
      convert { () throws(WebP.ConversionError) in try converter.append(step) }
    }
  }

  private func pass(_ response: URLResponse) {
    phase = .passing(response)
    guard let http = response as? HTTPURLResponse else {
      client.receive { _ in response }
      return
    }
    if registration.options.cachesOtherImages, http.isOtherImage, cached?.mayKeep(http) == true {
      kept = Data()
    } else {
      cached?.removeOlder(than: http)
    }
    let passed = http.passed(url: http.url?.outer(for: request))
    client.receive { _ in passed }
  }

  private func pass(_ data: Data) {
    let length = (kept?.count ?? 0) + data.count
    if kept != nil, case .passing(let response) = phase, length > registration.options.conversion.limits.maximumBytes {
      kept = nil
      if let response = response as? HTTPURLResponse { cached?.removeOlder(than: response) }
    }
    kept?.append(data)
    client.receive(data)
    let maximum = registration.options.waitingBytes
    if client.heldBytes > maximum { fail(URLError.tooManyWaiting(maximum)) }
  }

  private func convert(_ step: () throws(WebP.ConversionError) -> [UInt8]) {
    do {
      let png = Data(try step())
      kept?.append(png)
      client.receive(png)
    } catch {
      if case .converting(let response, _) = phase, error.isCausedByImage { cached?.removeOlder(than: response) }
      fail(URLError(error, url: request.url))
    }
  }
}
