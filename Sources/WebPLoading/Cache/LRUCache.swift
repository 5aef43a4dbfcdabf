/// A cache that evicts the least recently used values when the total cost exceeds a maximum. Not thread-safe.
///
/// `value`, `remove` and, per evicted value, `store` take constant time.
struct LRUCache<Key: Hashable, Value> {
  /// An element of the doubly linked list of all values, in order of their last use.
  fileprivate struct Link {
    let value: Value
    let cost: Int
    var newer: Key?
    var older: Key?
  }

  private let maximumCost: Int
  private var links: [Key: Link] = [:]
  private var newest: Key?
  private var oldest: Key?
  /// The total cost of all values.
  private(set) var cost = 0

  init(maximumCost: Int) {
    self.maximumCost = maximumCost
  }

  /// Returns a value, which becomes the most recently used.
  mutating func value(_ key: Key) -> Value? {
    guard let link = unlink(key) else { return nil }
    put(link.value, key, cost: link.cost)
    return link.value
  }

  /// Returns a value, which does not count as a use.
  func peek(_ key: Key) -> Value? { links[key]?.value }

  /// Stores a value, replacing any previous one. A value that costs more than the maximum is not stored.
  ///
  /// - Returns: the values that are no longer stored, and their keys.
  @discardableResult
  mutating func store(_ value: Value, _ key: Key, cost: Int) -> [(key: Key, value: Value)] {
    var removed = remove(key).map { [(key: key, value: $0)] } ?? []
    guard cost <= maximumCost else { return removed }
    put(value, key, cost: cost)
    while self.cost > maximumCost, let oldest, let value = remove(oldest) { removed.append((oldest, value)) }
    return removed
  }

  /// Removes and returns a value.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? { unlink(key)?.value }

  mutating func removeAll() { self = Self(maximumCost: maximumCost) }

  /// Removes and returns all values whose keys satisfy the predicate, in linear time.
  @discardableResult
  mutating func removeAll(where isOutdated: (Key) -> Bool) -> [(key: Key, value: Value)] {
    links.keys.filter(isOutdated).compactMap { key in remove(key).map { (key, $0) } }
  }

  /// Inserts a value as the most recently used. Its key must not be present.
  private mutating func put(_ value: Value, _ key: Key, cost: Int) {
    links[key] = Link(value: value, cost: cost, newer: nil, older: newest)
    if let newest { links[newest]!.newer = key } else { oldest = key }
    newest = key
    self.cost += cost
  }

  private mutating func unlink(_ key: Key) -> Link? {
    guard let link = links.removeValue(forKey: key) else { return nil }
    if let newer = link.newer { links[newer]!.older = link.older } else { newest = link.older }
    if let older = link.older { links[older]!.newer = link.newer } else { oldest = link.newer }
    cost -= link.cost
    return link
  }
}

extension LRUCache: Sendable where Key: Sendable, Value: Sendable {}
extension LRUCache.Link: Sendable where Key: Sendable, Value: Sendable {}
