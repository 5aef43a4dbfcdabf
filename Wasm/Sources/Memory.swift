// The memory functions of the C runtime, used by the module without vector instructions: the first version of
// WebAssembly has no instructions that fill or copy memory. They process eight bytes at a time, because WebAssembly
// permits unaligned access.
//
// `build` disables the optimization that would replace these loops with calls to the same functions.

@_cdecl("memset")
public func fillMemory(_ target: UnsafeMutableRawPointer, _ value: Int32, _ count: UInt) -> UnsafeMutableRawPointer {
  let count = Int(bitPattern: count)
  let eight = UInt64(UInt8(truncatingIfNeeded: value)) &* 0x0101_0101_0101_0101
  var at = 0
  while at <= count &- 8 {
    unsafe target.storeBytes(of: eight, toByteOffset: at, as: UInt64.self)
    at &+= 8
  }
  while at < count {
    unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: at, as: UInt8.self)
    at &+= 1
  }
  return unsafe target
}

@_cdecl("memcpy")
public func copyMemory(
  _ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ count: UInt
) -> UnsafeMutableRawPointer {
  let count = Int(bitPattern: count)
  var at = 0
  while at <= count &- 8 {
    unsafe copy(UInt64.self, source, target, at)
    at &+= 8
  }
  while at < count {
    unsafe copy(UInt8.self, source, target, at)
    at &+= 1
  }
  return unsafe target
}

@_cdecl("memmove")
public func moveMemory(
  _ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ count: UInt
) -> UnsafeMutableRawPointer {
  guard unsafe target > UnsafeMutableRawPointer(mutating: source) else {
    return unsafe copyMemory(target, source, count)
  }
  var at = Int(bitPattern: count)
  while at >= 8 {
    at &-= 8
    unsafe copy(UInt64.self, source, target, at)
  }
  while at > 0 {
    at &-= 1
    unsafe copy(UInt8.self, source, target, at)
  }
  return unsafe target
}

@inline(__always)
private func copy<Number: BitwiseCopyable>(
  _ type: Number.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ at: Int
) {
  unsafe target.storeBytes(of: source.loadUnaligned(fromByteOffset: at, as: type), toByteOffset: at, as: type)
}
