import Foundation
import PureWebP

/// The decoded images of a loader. Thread-safe.
final class DecodedImages: Sendable {
  typealias Loaded = WebP.ImageLoader.Loaded

  /// No value is released while the lock is held, because a value retains closures of the app.
  private let state: Locked<State>

  private struct State: Sendable {
    var images: LRUCache<ImageKey, Loaded>
    /// The keys of the images that differ only in their size, by the key without a size.
    var sizes: [ImageKey: Set<ImageKey>] = [:]

    mutating func forgetKeys(_ keys: [ImageKey]) {
      for key in keys {
        let common = key.withoutSize
        sizes[common]?.remove(key)
        if sizes[common]?.isEmpty == true { sizes[common] = nil }
      }
    }
  }

  init(maximumBytes: Int) { state = Locked(State(images: LRUCache(maximumCost: maximumBytes))) }

  /// Returns the image with exactly this key.
  func image(_ key: ImageKey) -> Loaded? { state.withLock { $0.images.value(key) } }

  /// Returns the image with this key. Otherwise, the smallest larger one, or else the largest smaller one.
  ///
  /// - Returns: the image, and whether it has enough pixels.
  func nearest(to key: ImageKey) -> (image: Loaded, isLargeEnough: Bool)? {
    state.withLock { state in
      if let exact = state.images.value(key) { return (exact, true) }
      // A transform may depend on the size. All images without one have the same size before scaling.
      let keys = state.sizes[key.withoutSize] ?? []
      guard key.transform == nil, let full = keys.first.flatMap({ state.images.peek($0)?.fullSize }),
        let needed = key.density(full)
      else { return nil }
      let candidates = keys.filter { $0.density(full) != nil }.map { ($0, state.images.peek($0)?.density ?? 0) }
      // Sizes are rounded to pixels.
      let tolerance = 0.5 / Double(max(full.width, full.height))
      let larger = candidates.filter { $0.1 >= needed - tolerance }.min { $0.1 < $1.1 }
      guard let found = larger ?? candidates.max(by: { $0.1 < $1.1 }) else { return nil }
      return state.images.value(found.0).map { ($0, larger != nil) }
    }
  }

  func store(_ image: Loaded, _ key: ImageKey, cost: Int) {
    let removed = state.withLock {
      let removed = $0.images.store(image, key, cost: cost)
      $0.forgetKeys(removed.map(\.key))
      if $0.images.peek(key) != nil { $0.sizes[key.withoutSize, default: []].insert(key) }
      return removed
    }
    _ = removed  // released without the lock
  }

  func removeAll(where isOutdated: (ImageKey) -> Bool = { _ in true }) {
    let removed = state.withLock {
      let removed = $0.images.removeAll(where: isOutdated)
      $0.forgetKeys(removed.map(\.key))
      return removed
    }
    _ = removed
  }
}

extension ImageKey {
  fileprivate var withoutSize: ImageKey {
    var key = self
    key.decoding?.size = nil
    return key
  }

  /// The factor by which an image is scaled. Nil if its aspect ratio changes, or only the file is requested.
  fileprivate func density(_ size: WebP.Size) -> Double? {
    decoding.flatMap { $0.size.map { $0.density(size) } ?? 1 }
  }
}

extension WebP.OutputSize {
  /// The factor by which an upright image is scaled. Nil if its aspect ratio changes.
  package func density(_ size: WebP.Size) -> Double? {
    let (width, height, isCovered, enlarges): (Int?, Int?, Bool, Bool)
    switch self {
    case .exact: return nil
    case .fit(let boxWidth, let boxHeight, let mayEnlarge):
      (width, height, isCovered, enlarges) = (boxWidth, boxHeight, false, mayEnlarge)
    case .fill(let boxWidth, let boxHeight, let mayEnlarge):
      (width, height, isCovered, enlarges) = (boxWidth, boxHeight, true, mayEnlarge)
    }
    let factors = [width.map { Double($0) / Double(size.width) }, height.map { Double($0) / Double(size.height) }]
      .compactMap { $0 }
    let factor = (isCovered ? factors.max() : factors.min()) ?? 1
    return enlarges ? factor : min(1, factor)
  }
}
