import Foundation
import PureWebP

/// Entries in memory; the one that was not used for the longest time goes first. Not thread-safe.
struct MemoryStore {
  private let maximumBytes: Int
  private var entries: [String: (entry: WebP.ImageCache.Entry, lastUse: Int)] = [:]
  private var uses = 0
  private(set) var bytes = 0

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  mutating func entry(_ key: String) -> WebP.ImageCache.Entry? {
    uses += 1
    entries[key]?.lastUse = uses
    return entries[key]?.entry
  }

  mutating func store(_ entry: WebP.ImageCache.Entry) {
    remove(entry.header.key)
    guard entry.body.count <= maximumBytes else { return }
    uses += 1
    entries[entry.header.key] = (entry, uses)
    bytes += entry.body.count
    while bytes > maximumBytes, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      remove(oldest.key)
    }
  }

  mutating func remove(_ key: String) {
    bytes -= entries.removeValue(forKey: key)?.entry.body.count ?? 0
  }

  mutating func removeAll() {
    entries = [:]
    bytes = 0
  }
}
