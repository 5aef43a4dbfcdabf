import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download of an image loader: from a request to the file, and through ``DownloadedFile`` to the images.
///
///     the server, the cache, a local file ──▶ bytes ─┬─▶ ImageDecoding ──▶ the readers of one size
///                                                    └─▶ ImageDecoding ──▶ the readers of another size
///
/// `run` is the download. It waits, and works with the file in steps on `queue`. Pieces that arrive meanwhile wait in
/// the buffer of the ``Transfer``, and are decoded together. Stopping cancels the task of `run`.
actor ImageDownload {
  typealias Loader = WebP.ImageLoader

  nonisolated let number: Int
  nonisolated let key: DownloadKey
  nonisolated let request: URLRequest
  /// The host of the request, in lower case. Nil for a file.
  nonisolated let host: String?
  private nonisolated let task = TaskHandle()
  private let queue = DispatchQueue(label: "WebPLoading.ImageDownload", target: .global())
  private let scheduler: DownloadScheduler
  /// The file, if the first reader has it.
  private let given: Loader.File?
  /// The request that is sent to the server.
  private var serverRequest: URLRequest
  /// While `queue` works with the file, an empty one.
  private var file: DownloadedFile
  /// The response whose body arrives.
  private var transfer: Transfer?
  private var backgroundActivity: BackgroundActivity?

  /// - Parameter number: identifies the download in the scheduler.
  init(
    _ number: Int, _ request: URLRequest, _ key: DownloadKey, _ scheduler: DownloadScheduler,
    _ given: Loader.File? = nil
  ) {
    self.number = number
    self.request = request
    self.given = given
    host = request.url?.host?.lowercased()
    self.key = key
    self.scheduler = scheduler
    serverRequest = request.serverRequestForImage
    serverRequest.httpShouldHandleCookies = key.session.handlesCookies
    let cached = CacheAccess(
      scheduler.cache, .original, scheduler.upstream.completed(serverRequest), scheduler.partition(key.session),
      keyURL: key.url)
    file = DownloadedFile(number, request, key, cached, scheduler)
  }

  /// - Parameter partial: the beginning of the file from an earlier download.
  nonisolated func start(priority: Loader.Options.Priority, continuing partial: PartialFile?) {
    task.start(scheduler.limits.clock) {
      self.scheduler.limits.clock.didHop()  // from the task to the actor
      await self.run(priority, partial)
    }
  }

  /// Stops the download after its last reader has left or was finished. When its work has ended, the scheduler can
  /// start another download.
  nonisolated func stop() { task.cancel() }

  /// Called after a reader has joined.
  nonisolated func readersDidChange() {
    _ = scheduler.limits.clock.start { await self.lookAtReaders() }
  }

  private func lookAtReaders() {
    continueInBackground()
    transfer?.wake()
  }

  private func run(_ priority: Loader.Options.Priority, _ partial: PartialFile?) async {
    file.partial = partial
    continueInBackground()
    do {
      try await load(priority)
    } catch {
      scheduler.end(number, nil, .failure(error.ofLoad(from: request.url)), isSecret: file.isSecret)
    }
    backgroundActivity = nil
    scheduler.didStop(self, file.remainder)
  }

  /// Begins an activity in the background, if a reader requests it. When the time is over, the download is canceled.
  private func continueInBackground() {
    guard backgroundActivity == nil, scheduler.wishes(of: number).continuesInBackground else { return }
    backgroundActivity = BackgroundActivity(scheduler.limits.perform) { [scheduler, number, url = request.url] in
      let error = URLError(.cancelled, "the time in the background is over", url: url)
      scheduler.end(number, nil, .failure(WebP.LoadError(error, kind: .unavailable, url: url)), isSecret: false)
    }
  }

  // MARK: Steps

  /// Works with the file. Meanwhile the actor has none, so that its bytes and pixels have one owner, and are not
  /// copied.
  ///
  /// - Parameter onQueue: whether the work decodes, uses files or calls the app.
  private func work<Value: Sendable>(
    onQueue: Bool = true, _ body: @escaping @Sendable (inout DownloadedFile) throws -> Value
  ) async throws -> Value {
    guard onQueue else { return try body(&file) }
    let moved = Locked(file)
    file = file.emptied
    defer { moved.withLock { swap(&file, &$0) } }
    return try await scheduler.limits.clock.run(on: queue) { [empty = file] in
      var file = empty
      moved.withLock { swap(&file, &$0) }
      defer { moved.withLock { swap(&file, &$0) } }
      return try body(&file)
    }
  }

  // MARK: Loading

  private func load(_ priority: Loader.Options.Priority) async throws {
    if let given { return try await work { $0.complete(given.bytes, given.source) } }
    if let url = request.url, url.isFileURL {
      let bytes = try await Data(
        waitingForFile: url, maximumBytes: key.maximumBytes, read: scheduler.limits.readFile)
      return try await work { $0.complete(bytes, .cache) }
    }
    if let url = request.url, url.isData {
      return try await work { [maximum = key.maximumBytes] in
        let bytes = try Data(dataURL: url)
        guard bytes.count <= maximum else { throw URLError.longerThan(maximum) }
        $0.complete(bytes, .cache)
      }
    }
    guard serverRequest.url?.isHTTP == true else { throw URLError.unsupportedScheme }
    guard
      let request = try await work(onQueue: scheduler.cache != nil, { [serverRequest] in try $0.begin(serverRequest) })
    else { return }
    serverRequest = request
    var retryCount = 0
    while true {
      do {
        return try await loadFromServer(priority)
      } catch {
        let retries = scheduler.wishes(of: number).retries
        guard let retries, retryCount < retries.maximumRetries, self.request.isGET,
          (error.ofLoad(from: serverRequest.url) as? WebP.LoadError)?.kind == .unavailable
        else { throw error }
        file.restart(file.remainder)
        try await scheduler.limits.clock.sleep(seconds: retries.retryDelay * Double(1 << min(retryCount, 20)))
        retryCount += 1
      }
    }
  }

  /// Loads the file from the server. If the server does not continue the beginning of the file, or sends only a part of
  /// it, the file is requested once more, from its beginning.
  private func loadFromServer(_ priority: Loader.Options.Priority) async throws {
    while true {
      let partial = file.partial
      let options = WebP.TransportOptions(
        priority: priority.ofTransport, allowsInvalidCertificates: key.session.allowsInvalidCertificates)
      let transfer = try await scheduler.upstream.send(
        partial?.resume(serverRequest) ?? serverRequest,
        BodyRules(maximumBytes: key.maximumBytes, continuing: partial?.bytes), options,
        minimumBytesPerSecond: scheduler.limits.minimumBytesPerSecond)
      self.transfer = transfer
      defer { self.transfer = nil }
      let (head, isPrivate) = (transfer.response, transfer.isPrivate)
      switch try await work(onQueue: scheduler.cache != nil, { try $0.receive(head, isPrivate: isPrivate) }) {
      case .isAnswered: return
      case .startsAgain: continue
      case .hasBody: break
      }
      let isPart = head.statusCode == 206
      while let piece = try await transfer.next(atLeast: file.demand) {
        if try await receive(piece, isLast: transfer.isTaken, isPart: isPart) { return }
      }
      if try await receive(Data(), isLast: true, isPart: isPart) { return }
      file.restart(nil)
    }
  }

  /// - Returns: whether the file is complete.
  private func receive(_ piece: Data, isLast: Bool, isPart: Bool) async throws -> Bool {
    let wishes = scheduler.wishes(of: number)
    let needsQueue = isLast || wishes.needsDecoding || !wishes.reports.isEmpty
    let isComplete = try await work(onQueue: needsQueue) { file in
      file.receive(piece, wishes)
      let isComplete = isLast && !(isPart && file.isShort)
      if isComplete { file.complete(.network) }
      return isComplete
    }
    if !isComplete { try Task.checkCancellation() }
    return isComplete
  }
}

extension WebP.ImageLoader.Options.Priority {
  fileprivate var ofTransport: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}
