/// Values that together cost no more than a maximum; the one that was not used for the longest time goes first. Not
/// thread-safe.
struct RecentStore<Key: Hashable, Value> {
  private struct Entry {
    let value: Value
    let cost: Int
    var lastUse: Int
  }

  private let maximumCost: Int
  private var entries: [Key: Entry] = [:]
  private var uses = 0
  /// Of all values.
  private(set) var cost = 0

  init(maximumCost: Int) {
    self.maximumCost = maximumCost
  }

  mutating func value(_ key: Key) -> Value? {
    uses += 1
    entries[key]?.lastUse = uses
    return entries[key]?.value
  }

  /// Keeps a value in the place of the one that there was; none, if it costs too much by itself.
  mutating func store(_ value: Value, _ key: Key, cost: Int) {
    remove(key)
    guard cost <= maximumCost else { return }
    uses += 1
    entries[key] = Entry(value: value, cost: cost, lastUse: uses)
    self.cost += cost
    while self.cost > maximumCost, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      remove(oldest.key)
    }
  }

  mutating func remove(_ key: Key) {
    cost -= entries.removeValue(forKey: key)?.cost ?? 0
  }

  mutating func removeAll() {
    entries = [:]
    cost = 0
  }
}
