#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// What FoundationNetworking does not tell a protocol about the task it works for, read by reflection.
  ///
  /// Two things depend on it. A task with a completion handler, an async call's among them, keeps nothing but the last
  /// piece it was handed, so that the body must be handed over in one; a delegate wants each piece at once. And the
  /// client's methods read tables without a lock that belong to the task's queue.
  ///
  /// Should a later FoundationNetworking name its fields otherwise, nothing is found: bodies are then handed over in one
  /// piece, which is right for all, and only late for delegates.
  struct TaskInternals {
    let queue: DispatchQueue?
    let takesPieces: Bool

    /// To be called on the task's queue, as in `startLoading`.
    init(_ task: URLSessionTask) {
      queue = Self.field("workQueue", of: task) as? DispatchQueue
      guard let session = Self.field("session", of: task) as? URLSession,
        session.delegate is any URLSessionDataDelegate,
        let registry = Self.field("taskRegistry", of: session),
        let behaviours = Self.field("behaviours", of: registry) as? [Int: Any],
        let behaviour = behaviours[task.taskIdentifier]
      else {
        takesPieces = false
        return
      }
      takesPieces = "\(behaviour)" == "callDelegate"
    }

    private static func field(_ name: String, of object: Any) -> Any? {
      var mirror = Mirror(reflecting: object) as Mirror?
      while let level = mirror {
        if let child = level.children.first(where: { $0.label == name }) { return unwrapped(child.value) }
        mirror = level.superclassMirror
      }
      return nil
    }

    /// What is in an optional of whatever type.
    private static func unwrapped(_ value: Any) -> Any? {
      let mirror = Mirror(reflecting: value)
      return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
  }
#endif
