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
  private let inner: URLRequest

  private var task: URLSessionTask?
  private var staleEntry: WebP.ImageCache.Entry?
  private var response: HTTPURLResponse?
  private var bytes = Data()
  private var headers = HeaderReading()
  private var decoder: Decoder?
  private var rowsTold = 0
  private var isDone = false

  private enum Decoder {
    case still(WebP.StreamingDecoder)
    /// With the first frame, as soon as it is there.
    case animation(WebP.StreamingAnimation, WebP.Image?)
  }

  init(_ request: URLRequest, _ options: Loader.Options, _ key: LoaderWork.Key, _ work: LoaderWork) {
    self.request = request
    self.options = options
    self.key = key
    self.work = work
    priority = options.priority
    session = work.session(handlesCookies: options.handlesCookies)
    var inner = WebPURLProtocol.Options().innerRequest(for: request)
    inner.httpShouldHandleCookies = options.handlesCookies
    self.inner = inner
  }

  private func finish(_ loaded: Loader.Loaded?, _ error: (any Error)?) {
    isDone = true
    task = nil
    // First the loader, so that who asks from now on begins anew or finds the picture.
    work.end(self, loaded, error)
    readers.finish(loaded, error)
  }

  func start() { queue.async { self.begin() } }

  func cancel() {
    queue.async {
      self.isDone = true
      self.task?.cancel()
      self.task = nil
    }
  }

  private func begin() {
    if isDone { return }
    if let url = inner.url, url.isFileURL {
      loadFile(url)
      return
    }
    guard ["http", "https"].contains(inner.url?.scheme?.lowercased() ?? "") else {
      finish(nil, URLError(.unsupportedURL))
      return
    }
    var inner = inner
    switch work.cache?.answer(to: session.completed(inner), form: .webP) ?? .nothing {
    case .fresh(let entry):
      append(entry.body)
      complete(source: .cache)
      return
    case .stale(let entry):
      staleEntry = entry
      entry.addValidators(to: &inner)
    case .refused(let code):
      finish(nil, URLError(code))
      return
    case .nothing: break
    }
    task = session.start(inner, for: self)
    switch options.priority {
    case .low: task?.priority = URLSessionTask.lowPriority
    case .normal: break
    case .high: task?.priority = URLSessionTask.highPriority
    }
  }

  private func loadFile(_ url: URL) {
    guard let data = try? Data(contentsOf: url) else {
      finish(nil, URLError(.fileDoesNotExist))
      return
    }
    append(data)
    complete(source: .cache)
  }

  func didReceive(_ response: URLResponse) {
    if isDone { return }
    guard let http = response as? HTTPURLResponse else {
      task?.cancel()
      finish(nil, URLError(.badServerResponse))
      return
    }
    let asked = session.completed(inner)
    if http.statusCode == 304, let entry = staleEntry, let cache = work.cache {
      append(cache.renew(entry, with: http, to: asked, onlyInMemory: readers.keepInMemoryOnly).body)
      complete(source: .cache)
      return
    }
    work.cache?.invalidate(by: asked, answered: http)
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
    bytes.append(data)
    do {
      try options.decoding.limits.check(bytes: bytes.count)
      try decode(data)
    } catch {
      fail(error)
    }
  }

  private func decode(_ data: Data) throws(WebP.DecodeError) {
    guard let current = decoder else {
      guard let info = try headers.info(bytes, isComplete: false) else { return }
      // Otherwise the options do not fit the picture, as decoding will say.
      if let size = options.decoding.outputSize(of: info) {
        readers.tell(.placeholder(info, width: size.width, height: size.height))
      }
      decoder =
        info.isAnimated
        ? .animation(WebP.StreamingAnimation(options: options.decoding), nil)
        : .still(WebP.StreamingDecoder(options: options.decoding))
      try decode(bytes)
      return
    }
    // While it is changed, the decoder must have one owner alone, or its pixels are copied.
    decoder = nil
    switch consume current {
    case .still(var still):
      _ = try still.append(data)
      decoder = .still(still)
      tellRows(upTo: still.finishedRows) { still.image }
    case .animation(var animation, var first):
      animation.append(data)
      if first == nil, let frame = try animation.nextFrame() {
        first = frame.image
        tellRows(upTo: frame.image.height) { frame.image }
      }
      decoder = .animation(animation, first)
    }
  }

  /// Tells what is new, in sixteen steps at the most: a picture that is handed out costs a copy.
  private func tellRows(upTo rows: Int, of image: () -> WebP.Image?) {
    guard options.transform == nil, readers.wantRows, rows > rowsTold, let image = image(),
      (rows - rowsTold) * 16 >= image.height
    else { return }
    let isFlipped = options.decoding.flipsVertically
    readers.tell(.rows(image, isFlipped ? image.height - rows..<image.height - rowsTold : rowsTold..<rows))
    rowsTold = rows
  }

  private func fail(_ error: WebP.DecodeError) {
    task?.cancel()
    finish(nil, URLError(.decoding(error), url: request.url))
  }

  private func complete(source: Loader.Loaded.Source) {
    if isDone { return }
    do {
      let (picture, animation) = try whole()
      let image = try options.transform?.apply(picture) ?? picture
      if source == .network, let response {
        work.cache?.store(
          bytes, form: .webP, of: response, to: session.completed(inner), onlyInMemory: readers.keepInMemoryOnly)
      }
      finish(
        Loader.Loaded(
          image: image, animation: animation,
          metadata: WebP.metadata(bytes, limits: options.decoding.limits), source: source,
          animationBytes: animation == nil ? 0 : bytes.count), nil)
    } catch let error as WebP.DecodeError {
      fail(error)
    } catch {
      finish(nil, error)
    }
  }

  private func whole() throws(WebP.DecodeError) -> (WebP.Image, WebP.Animation?) {
    switch decoder {
    case .still(var still):
      decoder = nil
      try still.finish()
      if let image = still.image { return (image, nil) }
    case .animation(_, let first):
      let animation = try WebP.Animation(bytes, options: options.decoding)
      let image = if let first { first } else { try animation.frame(at: 0).image }
      return (image, animation.frameCount > 1 ? animation : nil)
    case nil: break
    }
    // Too short to have a header, which this says, or so short that it was not worth another look before the end.
    return (try WebP.decode(bytes, options: options.decoding), nil)
  }
}
