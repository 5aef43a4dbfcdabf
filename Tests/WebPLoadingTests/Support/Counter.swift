import Foundation

final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var calls = 0
  var count: Int { lock.withLock { calls } }
  func add() { lock.withLock { calls += 1 } }
}
