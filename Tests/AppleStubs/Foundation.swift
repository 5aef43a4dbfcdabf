// Declarations of Apple's Foundation, as WebPLoading sees it where FoundationNetworking does not exist. `.ci/apple`
// compiles this file as a part of WebPLoading.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
@_exported import FoundationNetworking

typealias CFArray = [String]
final class CFRunLoop: Sendable {}
func CFRunLoopGetCurrent() -> CFRunLoop! { nil }
func CFRunLoopPerformBlock(_ runLoop: CFRunLoop!, _ modes: CFArray, _ block: (() -> Void)!) {}
func CFRunLoopWakeUp(_ runLoop: CFRunLoop!) {}

final class SecTrust: Sendable {}
extension URLProtectionSpace { var serverTrust: SecTrust? { nil } }
extension URLCredential { convenience init(trust: SecTrust) { fatalError() } }

extension ProcessInfo {
  func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}

protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {}
extension DispatchSource {
  struct MemoryPressureEvent: OptionSet {
    let rawValue: UInt
    static let warning = MemoryPressureEvent(rawValue: 2)
    static let critical = MemoryPressureEvent(rawValue: 4)
  }
  static func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue?
  ) -> any DispatchSourceMemoryPressure { fatalError() }
}

extension stat { var st_mtimespec: timespec { st_mtim } }
