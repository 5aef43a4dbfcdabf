import Foundation
import PureWebP
import WebPLoading

/// Loads the files of a list before its rows need them, with `ImageLoader.prefetch`, and cancels single ones.
///
/// ```swift
/// func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
///   prefetcher.prefetch(indexPaths.map { photos[$0.row].url })
/// }
///
/// func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
///   prefetcher.cancel(indexPaths.map { photos[$0.row].url })
/// }
/// ```
///
/// The files are stored in the cache of the loader. A view that appears meanwhile shares the download.
@MainActor
public final class WebPPrefetcher {
  private let loader: WebP.ImageLoader
  private let options: WebP.ImageLoader.Options
  private var tasks: [URL: Task<Void, Never>] = [:]

  /// Creates a prefetcher.
  ///
  /// - Parameters:
  ///   - loader: The loader of the views, with a cache.
  ///   - options: The options of the views.
  public init(loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init()) {
    self.loader = loader
    self.options = options
  }

  deinit {
    for task in tasks.values { task.cancel() }
  }

  /// Begins to load files. Has no effect for files that are being loaded.
  public func prefetch(_ urls: [URL]) {
    for url in urls where tasks[url] == nil {
      tasks[url] = Task { [weak self, loader, options] in
        await loader.prefetch([url], options: options)
        if !Task.isCancelled { self?.tasks[url] = nil }
      }
    }
  }

  /// Cancels loads that have not ended.
  public func cancel(_ urls: [URL]) {
    for url in urls { tasks.removeValue(forKey: url)?.cancel() }
  }

  /// The number of loads that have not ended.
  public var count: Int { tasks.count }
}
