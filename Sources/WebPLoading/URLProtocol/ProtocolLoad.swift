import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One load of the URL protocol.
///
/// `run` is the load from the request, through the cache or the server, to the client. It only waits; everything else
/// runs on `queue`, which owns `converter` and `kept`, calls the client and may wait for it.
final class ProtocolLoad: @unchecked Sendable {
  private let queue = DispatchQueue(label: "WebPLoading.ProtocolLoad")
  private let request: URLRequest
  private let options: WebPURLProtocol.Options
  private let upstream: Upstream
  private let cached: CacheAccess
  private let client: ProtocolClient
  private lazy var converter = {
    let converter = WebP.PNGConverter(options: options.conversion)
    converter.check = { [client] _ in if client.isClosed { throw CancellationError() } }
    return converter
  }()
  /// The bytes that were delivered so far, if they will be stored in the cache. Otherwise nil.
  private var kept: Data?
  /// Accessed in `start` and `stop`, which the protocol calls on one thread.
  private var task: Task<Void, Never>?

  init(_ request: URLRequest, _ registration: Registration, client: ProtocolClient) {
    self.request = request
    options = registration.options
    upstream = registration.upstream
    self.client = client
    cached = CacheAccess(
      options.cache, .converted, upstream.completed(request.serverRequest), upstream.partition,
      publicPartition: options.publicPartition)
  }

  func start() { task = Task { await run() } }

  /// Stops the load. The client receives nothing after this call.
  func stop() {
    client.close()
    // Not on this thread, because a transport may have a handler for cancellation.
    DispatchQueue.global().async { [task] in task?.cancel() }
  }

  private func run() async {
    do {
      let serverRequest = try await queue.run {
        var serverRequest = self.request.serverRequest
        try serverRequest.readBody()
        return serverRequest
      }
      // No minimum rate, because the timeouts of the app's session apply.
      let body = BodyRules(maximumBytes: options.conversion.limits.maximumBytes, limitsWebPOnly: true)
      switch try await cached.answer(serverRequest, body, from: upstream, minimumBytesPerSecond: 0, on: queue) {
      case .entry(let entry): await queue.run { self.deliver(entry) }
      case .transfer(let transfer): try await deliver(transfer)
      }
      await queue.run { self.client.finish() }
    } catch {
      await queue.run { self.client.fail(error) }
    }
  }

  private func deliver(_ entry: WebP.ImageCache.Entry) {
    let response = entry.response(url: entry.url.withPrefix(of: request))
    client.receive { _ in response }
    client.receive(entry.body)
  }

  /// Converts the body if it is a file that begins with a WebP signature. Otherwise passes it on unchanged.
  /// The Content-Type is not consulted, because some servers send WebP as image/jpeg or without a type.
  private func deliver(_ transfer: Transfer) async throws {
    var beginning = Data()
    while transfer.response.hasFile, beginning.mayBecomeWebPSignature, let piece = try await transfer.next() {
      beginning += piece
    }
    if WebP.isWebP(prefix: beginning) {
      try await convert(beginning, transfer)
    } else {
      try await pass(beginning, transfer)
    }
  }

  private func convert(_ beginning: Data, _ transfer: Transfer) async throws {
    let response = transfer.response
    do {
      try await queue.run {
        if self.cached.mayKeep(response) { self.kept = Data() }
        let url = response.url?.withPrefix(of: self.request)
        self.client.receive { HTTPURLResponse(png: response.headers, url: url ?? response.url, length: $0) ?? response }
        try self.convert(beginning)
      }
      while let piece = try await transfer.next() { try await queue.run { try self.convert(piece) } }
      try await queue.run {
        self.receive(Data(try self.converter.finish()))
        if let kept = self.kept { self.cached.keep(kept, of: response) }
      }
    } catch let error as WebP.ConversionError {
      if error.isCausedByImage { await queue.run { self.cached.removeOlder(than: response) } }
      throw URLError(error, url: request.url)
    }
  }

  private func pass(_ beginning: Data, _ transfer: Transfer) async throws {
    let response = transfer.response
    try await queue.run {
      if self.options.cachesOtherImages, response.isOtherImage, self.cached.mayKeep(response) {
        self.kept = Data()
      } else {
        self.cached.removeOlder(than: response)
      }
      let passed = response.passed(url: response.url?.withPrefix(of: self.request))
      self.client.receive { _ in passed }
      try self.pass(beginning, response)
    }
    while let piece = try await transfer.next() { try await queue.run { try self.pass(piece, response) } }
    await queue.run { if let kept = self.kept { self.cached.keep(kept, of: response, isOriginal: true) } }
  }
}

// MARK: Called on `queue`

extension ProtocolLoad {
  /// Converts bytes in small steps, so that the client receives each part of the PNG soon.
  private func convert(_ data: Data) throws {
    var rest = data
    while !rest.isEmpty {
      let step = rest.prefix(1 << 16)
      rest = rest.dropFirst(step.count)
      receive(Data(try converter.append(step)))
    }
  }

  private func pass(_ data: Data, _ response: HTTPURLResponse) throws {
    if let kept, kept.count + data.count > options.conversion.limits.maximumBytes {
      self.kept = nil
      cached.removeOlder(than: response)
    }
    receive(data)
    let maximum = options.maximumWaitingBytes
    if client.heldBytes > maximum { throw URLError.tooManyWaiting(maximum) }
  }

  private func receive(_ data: Data) {
    kept?.append(data)
    client.receive(data)
  }
}
