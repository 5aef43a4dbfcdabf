// Nonatomic reference counting. Embedded Swift has only the atomic functions, which the compiler would inline into each
// caller. The linker's option --wrap redirects the calls.
//
//     object   ├ type ┼ reference count ┼ … ┤

/// The runtime's function, which destroys an object that has no other references.
@_extern(c, "__real_swift_release") private func releaseLast(_ object: UnsafeMutableRawPointer)

/// The bits of the reference count. The most significant bit marks objects on the stack. All others are set in static
/// objects, which are not counted.
private let countMask: UInt32 = 0x7fff_ffff

@_cdecl("__wrap_swift_nonatomic_retain")
public func retainObject(_ object: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let object = unsafe object {
    let count = unsafe object.load(fromByteOffset: 4, as: UInt32.self)
    if count & countMask != countMask { unsafe object.storeBytes(of: count &+ 1, toByteOffset: 4, as: UInt32.self) }
  }
  return unsafe object
}

@_cdecl("__wrap_swift_nonatomic_release")
public func releaseObject(_ object: UnsafeMutableRawPointer?) {
  guard let object = unsafe object else { return }
  let count = unsafe object.load(fromByteOffset: 4, as: UInt32.self)
  if count & countMask == 1 { return unsafe releaseLast(object) }
  if count & countMask != countMask { unsafe object.storeBytes(of: count &- 1, toByteOffset: 4, as: UInt32.self) }
}
