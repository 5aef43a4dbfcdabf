import Foundation

/// Calls a function whenever the system reports that memory is low, until this object is released. Linux does not
/// report this.
final class MemoryPressure: Sendable {
  #if canImport(Darwin)
    private let source: Locked<(any DispatchSourceMemoryPressure)?>

    init(_ respond: @escaping @Sendable () -> Void) {
      let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
      source.setEventHandler(handler: respond)
      source.activate()
      self.source = Locked(source)
    }

    deinit { source.withLock { $0.take() }?.cancel() }
  #else
    init(_ respond: @escaping @Sendable () -> Void) {}
  #endif
}
