/// Bounds the number of operations that run at the same time. Further operations wait, in the order of their calls.
actor Slots {
  private var free: Int
  private var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  private var nextID = 0

  init(count: Int) { free = count }

  /// The number of operations that wait.
  var waitingCount: Int { waiting.count }

  /// Runs an operation when a slot is free.
  ///
  /// - Throws: An error of the operation, or `CancellationError` if the task is cancelled while it waits.
  func run<Output: Sendable>(_ operation: @Sendable () async throws -> Output) async throws -> Output {
    guard await enter() else { throw CancellationError() }
    defer { leave() }
    return try await operation()
  }

  /// Waits for a free slot. Returns false if the task is cancelled while it waits.
  private func enter() async -> Bool {
    if free > 0 {
      free -= 1
      return true
    }
    let id = nextID
    nextID += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiting.append((id, continuation))
        }
      }
    } onCancel: {
      Task { await stopWaiting(id) }
    }
  }

  private func stopWaiting(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  /// Passes the slot to the first operation that waits.
  private func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().continuation.resume(returning: true)
    }
  }
}
