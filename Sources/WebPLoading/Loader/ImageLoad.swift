import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One load of a loader's, and those who wait for it.
///
/// `priority` belongs to the loader's lock, and everything else to `queue`.
final class ImageLoad: InnerLoad, @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  let queue = DispatchQueue(label: "WebPLoading.ImageLoad")
  let key: LoaderWork.Key
  let request: URLRequest
  let readers = ImageReaders()
  var priority: Loader.Options.Priority

  private let options: Loader.Options
  private let work: LoaderWork
  private let session: InnerSession
  /// The request to the server.
  private var inner: URLRequest
  /// Nil without a cache.
  private var cached: CachedLoad?
  private var task: URLSessionTask?
  private var response: HTTPURLResponse?
  private var picture: PictureDecoding
  private var rowsTold = 0
  /// Whether the server forbids that its answer is kept.
  private(set) var isSecret = false
  /// Whether everybody has left, or been told the end.
  private var isDone: Bool { readers.isEmpty }

  init(_ request: URLRequest, _ options: Loader.Options, _ key: LoaderWork.Key, _ work: LoaderWork) {
    self.request = request
    self.options = options
    self.key = key
    self.work = work
    priority = options.priority
    picture = PictureDecoding(options: options.decoding)
    let session = work.session(handlesCookies: options.handlesCookies)
    self.session = session
    var inner = request.inner
    inner.httpShouldHandleCookies = options.handlesCookies
    self.inner = inner
    cached = work.cache.map { CachedLoad($0, .webP, session.completed(inner)) }
  }

  private func finish(_ loaded: Loader.Loaded?, _ error: (any Error)?) {
    task = nil
    // First the loader, so that who asks from now on begins anew or finds the picture.
    work.end(self, loaded, error)
    readers.finish(loaded, error)
  }

  func start(priority: Loader.Options.Priority) { queue.async { self.begin(priority) } }

  /// To be called when everybody has left. What is being done comes to its end, nothing follows it, and then the loader is
  /// told that its place is free.
  func cancel() {
    queue.async {
      self.task?.cancel()
      self.task = nil
      self.work.didStop()
    }
  }

  private func begin(_ priority: Loader.Options.Priority) {
    if isDone { return }
    if let url = inner.url, url.isFileURL {
      loadFile(url)
      return
    }
    guard inner.url?.isHTTP == true else {
      finish(nil, URLError.otherThanHTTP)
      return
    }
    do {
      if let entry = try cached?.begin(&inner) {
        append(entry.body)
        complete(source: .cache)
      } else {
        task = session.start(inner, priority: priority.ofTask, for: self)
      }
    } catch {
      finish(nil, error)
    }
  }

  private func loadFile(_ url: URL) {
    do {
      append(try Data(file: url, maximumBytes: options.decoding.limits.maximumBytes))
      complete(source: .cache)
    } catch {
      finish(nil, error as? URLError ?? URLError(.fileDoesNotExist, error.localizedDescription))
    }
  }

  func didReceive(_ response: URLResponse) {
    if isDone { return }
    guard let http = response as? HTTPURLResponse else {
      task?.cancel()
      finish(nil, URLError(.badServerResponse, "what answered speaks no HTTP"))
      return
    }
    isSecret = http.cacheControl.forbidsStoring
    if let entry = cached?.receive(http, onlyInMemory: readers.keepInMemoryOnly) {
      append(entry.body)
      complete(source: .cache)
      return
    }
    if request.mayHaveChangedURL(answered: http) { work.forget(request.url) }
    guard http.statusCode == 200 else {
      task?.cancel()
      finish(nil, URLError(status: http.statusCode, url: request.url))
      return
    }
    self.response = http
  }

  func didReceive(_ data: Data) {
    if !isDone { append(data) }
  }

  func didComplete(_ error: (any Error)?) {
    if isDone { return }
    if let error {
      finish(nil, error)
      return
    }
    complete(source: .network)
  }

  private func append(_ data: Data) {
    do {
      // If the options are invalid for this image, decoding will throw.
      if let info = try picture.append(data), let size = try? options.decoding.outputSize(for: info) {
        readers.tell(.placeholder(info, width: size.width, height: size.height))
      }
      while !isDone, try picture.decodePiece() {}
      tellRows()
    } catch {
      fail(error)
    }
  }

  /// Tells what is new, in sixteen steps at the most: a picture that is handed out costs a copy.
  private func tellRows() {
    let rows = picture.finishedRows
    guard options.transform == nil, readers.wantRows, rows > rowsTold, let image = picture.image,
      (rows - rowsTold) * 16 >= image.height
    else { return }
    let isFlipped = options.decoding.flipsVertically
    readers.tell(.rows(image, isFlipped ? image.height - rows..<image.height - rowsTold : rowsTold..<rows))
    rowsTold = rows
  }

  private func fail(_ error: WebP.DecodeError) {
    task?.cancel()
    let error = WebP.ConversionError.decoding(error)
    if let response, error.isOfThePicture { cached?.removeOlder(than: response) }
    finish(nil, URLError(error, url: request.url))
  }

  private func complete(source: Loader.Loaded.Source) {
    if isDone { return }
    do {
      let (whole, animation) = try picture.finish()
      if isDone { return }
      if let response {
        cached?.keep(picture.bytes, of: response, onlyInMemory: readers.keepInMemoryOnly)
      }
      let image = try options.transform?.apply(whole) ?? whole
      let metadata = WebP.metadata(picture.bytes, limits: options.decoding.limits)
      finish(
        Loader.Loaded(
          image: image, animation: animation, metadata: metadata, source: source,
          animationBytes: animation == nil ? 0 : picture.bytes.count), nil)
    } catch let error as WebP.DecodeError {
      fail(error)
    } catch {
      finish(nil, error)
    }
  }
}

extension WebP.ImageLoader.Options.Priority {
  fileprivate var ofTask: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}
