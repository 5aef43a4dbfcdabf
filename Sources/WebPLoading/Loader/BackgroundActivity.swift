import Foundation

/// Asks the system to let the app run in the background until this object is released. Does nothing on macOS and Linux,
/// which do not suspend apps.
final class BackgroundActivity: Sendable {
  /// A function that calls its argument as `ProcessInfo.performExpiringActivity` does: first with false, to begin the
  /// activity, which lasts until the call returns. When the time is over, again with true. If there is no time at all,
  /// only with true.
  typealias Perform = @Sendable (@escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    static let system: Perform = {
      ProcessInfo.processInfo.performExpiringActivity(withReason: "WebPLoading", using: $0)
    }
  #else
    static let system: Perform = { _ in }
  #endif

  private let ended = DispatchSemaphore(value: 0)

  /// - Parameter expire: ends the work. Called when the time is over, unless this object was released before.
  init(_ perform: Perform, expire: @escaping @Sendable () -> Void) {
    perform { [ended, weak self] isExpired in
      guard isExpired else { return ended.wait() }
      if self != nil { expire() }
      ended.signal()
    }
  }

  deinit { ended.signal() }
}
