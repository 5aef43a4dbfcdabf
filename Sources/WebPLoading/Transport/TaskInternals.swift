#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Internal properties of a URL protocol's task in FoundationNetworking, read by reflection.
  ///
  /// They are needed for two reasons. First, a task with a completion handler (or an async call) retains only the last
  /// part of the body, so it must receive the body in one call. A delegate, however, should receive each part
  /// immediately. Second, the methods of a protocol's client may be called only on the task's queue.
  ///
  /// If a later version of FoundationNetworking renames these properties, they are not found. Bodies are then passed in
  /// one call. This is correct for delegates too, but they receive the body late.
  struct TaskInternals {
    /// The queue on which the protocol's client must be called. Nil if it was not found.
    let queue: DispatchQueue?
    /// Indicates whether the task accepts a body in several parts.
    let takesPieces: Bool

    /// Reads the properties of a task. Must be called on the task's queue, which calls `startLoading`.
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

    fileprivate static func field(_ name: String, of object: Any) -> Any? {
      var mirror = Mirror(reflecting: object) as Mirror?
      while let level = mirror {
        if let child = level.children.first(where: { $0.label == name }) { return child.value }
        mirror = level.superclassMirror
      }
      return nil
    }
  }

  extension URLSession {
    /// The queue that reads from the sockets of the session. Nil if it was not found. While it is suspended, servers
    /// wait.
    ///
    /// All sessions share one thread. While a server sends faster than a load can process, this queue occupies it: no
    /// task of any session starts, ends or is canceled.
    var socketQueue: DispatchQueue? {
      TaskInternals.field("multiHandle", of: self).flatMap { TaskInternals.field("queue", of: $0) as? DispatchQueue }
    }
  }
#endif
