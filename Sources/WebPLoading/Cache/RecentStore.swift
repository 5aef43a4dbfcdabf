/// Values that together cost no more than a maximum; the one that was not used for the longest time goes first. However
/// many there are, each call takes the same time. Not thread-safe.
struct RecentStore<Key: Hashable, Value> {
  /// A link of the chain that all values form, from the one used last to the one not used for the longest time.
  private struct Link {
    let value: Value
    let cost: Int
    var newer: Key?
    var older: Key?
  }

  private let maximumCost: Int
  private var links: [Key: Link] = [:]
  private var newest: Key?
  private var oldest: Key?
  /// Of all values.
  private(set) var cost = 0

  init(maximumCost: Int) {
    self.maximumCost = maximumCost
  }

  mutating func value(_ key: Key) -> Value? {
    guard let link = take(key) else { return nil }
    put(link.value, key, cost: link.cost)
    return link.value
  }

  /// Keeps a value in the place of the one that there was; none, if it costs too much by itself.
  mutating func store(_ value: Value, _ key: Key, cost: Int) {
    remove(key)
    guard cost <= maximumCost else { return }
    put(value, key, cost: cost)
    while self.cost > maximumCost, let oldest { remove(oldest) }
  }

  mutating func remove(_ key: Key) { _ = take(key) }

  mutating func removeAll() { self = Self(maximumCost: maximumCost) }

  /// Goes through all keys.
  mutating func removeAll(where isOutdated: (Key) -> Bool) {
    for key in links.keys where isOutdated(key) { remove(key) }
  }

  /// Puts a link before all others.
  private mutating func put(_ value: Value, _ key: Key, cost: Int) {
    links[key] = Link(value: value, cost: cost, newer: nil, older: newest)
    if let newest { links[newest]!.newer = key } else { oldest = key }
    newest = key
    self.cost += cost
  }

  private mutating func take(_ key: Key) -> Link? {
    guard let link = links.removeValue(forKey: key) else { return nil }
    if let newer = link.newer { links[newer]!.older = link.older } else { newest = link.older }
    if let older = link.older { links[older]!.newer = link.newer } else { oldest = link.newer }
    cost -= link.cost
    return link
  }
}
