#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Properties of a protocol's task that FoundationNetworking does not expose, read by reflection.
  ///
  /// They are needed for two reasons. A task with a completion handler, including async calls, retains only the last
  /// part of the body that it receives, so it must get the body in one call. A delegate, in contrast, should get each
  /// part immediately. Moreover, the client's methods read unsynchronized tables that belong to the task's queue.
  ///
  /// If a later FoundationNetworking renames its fields, they are not found. Bodies are then passed in one call, which
  /// is always correct, but late for delegates.
  struct TaskInternals {
    let queue: DispatchQueue?
    let takesPieces: Bool

    /// Must be called on the task's queue, as in `startLoading`.
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

    /// The value in an optional of any type.
    private static func unwrapped(_ value: Any) -> Any? {
      let mirror = Mirror(reflecting: value)
      return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
  }
#endif
