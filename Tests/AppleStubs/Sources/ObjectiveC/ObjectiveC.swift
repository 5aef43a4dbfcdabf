// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Double of the Objective-C runtime (objc/runtime.h), which Foundation exports on Apple's systems.
import Foundation

/// A method of an object. `#selector` needs the real type.
public struct Selector {
  public let perform: @MainActor (Any) -> Void
  public init(_ perform: @escaping @MainActor (Any) -> Void) { self.perform = perform }
}

public enum objc_AssociationPolicy: UInt { case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1 }

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  associations.lock.withLock { associations.values[ObjectIdentifier(object as AnyObject)]?[UInt(bitPattern: key)] }
}

/// objc/runtime.h: "Pass nil to clear an existing association." The association retains the value.
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  let identifier = ObjectIdentifier(object as AnyObject)
  let previous: Any? = associations.lock.withLock {
    let previous = associations.values[identifier]?[UInt(bitPattern: key)]
    associations.values[identifier, default: [:]][UInt(bitPattern: key)] = value
    return previous
  }
  _ = previous  // released without the lock
}

/// Releases the associations of an object. The runtime does this in `dealloc`; here, classes call it in `deinit`.
public func objc_releaseAssociations(of identifier: ObjectIdentifier) {
  let previous = associations.lock.withLock { associations.values.removeValue(forKey: identifier) }
  _ = previous
}

private final class Associations: @unchecked Sendable {
  let lock = NSLock()
  var values: [ObjectIdentifier: [UInt: Any]] = [:]
}

private let associations = Associations()
