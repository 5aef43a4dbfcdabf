import Foundation

/// Calls a function whenever the system reports that memory is low, until this object is released. Linux does not
/// report this.
final class MemoryPressure: @unchecked Sendable {
  #if canImport(Darwin)
    private let source: any DispatchSourceMemoryPressure

    init(_ respond: @escaping @Sendable () -> Void) {
      source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
      source.setEventHandler(handler: respond)
      source.activate()
    }

    deinit { source.cancel() }
  #else
    init(_ respond: @escaping @Sendable () -> Void) {}
  #endif
}
