// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Double of os/proc.h (iOS 13).
import CoreGraphics

/// "Returns the number of bytes of memory available to the current process." 0 if it is not an app, as in a simulator.
public func os_proc_available_memory() -> Int { availableMemory.value }

/// Changed by tests.
public let availableMemory = Setting(0)
