// What counts the owners of objects. The runtime's functions for one thread are not part of Embedded Swift; those for
// several, which it has, would be copied to each of their callers.
//
//     object   ├ type ┼ owners ┼ … ┤
//
// The linker is told to take these.

/// The runtime's, which destroys an object that has no owner any more.
@_extern(c, "__real_swift_release") private func releaseLast(_ object: UnsafeMutableRawPointer)

/// The bits that count; the first one tells of objects on the stack. All are set in those that are there for ever.
private let counter: UInt32 = 0x7fff_ffff

@_cdecl("__wrap_swift_nonatomic_retain")
public func retainObject(_ object: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let object = unsafe object {
    let owners = unsafe object.load(fromByteOffset: 4, as: UInt32.self)
    if owners & counter != counter { unsafe object.storeBytes(of: owners &+ 1, toByteOffset: 4, as: UInt32.self) }
  }
  return unsafe object
}

@_cdecl("__wrap_swift_nonatomic_release")
public func releaseObject(_ object: UnsafeMutableRawPointer?) {
  guard let object = unsafe object else { return }
  let owners = unsafe object.load(fromByteOffset: 4, as: UInt32.self)
  if owners & counter == 1 { return unsafe releaseLast(object) }
  if owners & counter != counter { unsafe object.storeBytes(of: owners &- 1, toByteOffset: 4, as: UInt32.self) }
}
