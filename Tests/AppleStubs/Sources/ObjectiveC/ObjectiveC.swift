// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Declarations of the Objective-C runtime, which Foundation exports on Apple's systems.

/// The compiler creates values with `#selector`.
public struct Selector {
  private let name: OpaquePointer
}

public enum objc_AssociationPolicy: UInt { case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1 }

public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? { nil }

public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {}
