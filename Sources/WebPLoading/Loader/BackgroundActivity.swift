import Foundation

/// Asks the system to let the app run in the background until this object is released. Does nothing on macOS and Linux,
/// which do not suspend apps.
final class BackgroundActivity: Sendable {
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private let ended = DispatchSemaphore(value: 0)

    init() {
      ProcessInfo.processInfo.performExpiringActivity(withReason: "WebPLoading") { [ended] isExpired in
        // The system calls this closure first to begin the activity, which lasts until the call returns. When the time
        // is over, the system calls the closure again, with `isExpired` set.
        if isExpired { ended.signal() } else { ended.wait() }
      }
    }

    deinit { ended.signal() }
  #endif
}
