// The functions of a C library that compiled Swift code calls.

@_extern(c, "heap_start") private func heapStart() -> UInt
@_extern(c, "heap_end") private func heapEnd() -> UInt

/// A heap of consecutive blocks. Each block begins with its size, whose lowest bit is set while the block is in use.
///
///     ├ size ┬ padding ┬ payload …   ┼ size ┬ …
///       0      4         16            size
struct Heap {
  /// The alignment of payloads, and the size of a header.
  static let alignment: UInt = 16

  private var start: UInt = 0
  private var used = 0
  /// The largest number of bytes in use at the same time, with the headers of their blocks.
  private(set) var peak = 0

  /// Returns the number of bytes in use, and makes it the new peak.
  mutating func startMeasuring() -> Int {
    peak = used
    return used
  }

  /// Returns 0 if no free block is large enough.
  mutating func allocate(_ count: UInt) -> UInt {
    if start == 0 {
      start = heapStart()
      Self.setWord(start, heapEnd() - start)
    }
    let size = (count + Self.alignment + Self.alignment - 1) & ~(Self.alignment - 1)
    var block = start
    while block < heapEnd() {
      var space = Self.word(block)
      if space & 1 == 0 {
        // Neighboring free blocks are merged.
        while block + space < heapEnd(), Self.word(block + space) & 1 == 0 { space += Self.word(block + space) }
        Self.setWord(block, space)
        if space >= size {
          if space > size { Self.setWord(block + size, space - size) }
          Self.setWord(block, size | 1)
          used += Int(size)
          peak = max(peak, used)
          return block + Self.alignment
        }
      }
      block += space & ~1
    }
    return 0
  }

  mutating func release(_ address: UInt) {
    let size = Self.word(address - Self.alignment) & ~1
    Self.setWord(address - Self.alignment, size)
    used -= Int(size)
  }

  private static func word(_ address: UInt) -> UInt { unsafe UnsafePointer<UInt>(bitPattern: address)!.pointee }

  private static func setWord(_ address: UInt, _ value: UInt) {
    unsafe UnsafeMutablePointer<UInt>(bitPattern: address)!.pointee = value
  }
}

nonisolated(unsafe) var heap = Heap()

@_cdecl("posix_memalign")
public func allocate(_ result: UnsafeMutablePointer<UInt>, _ alignment: UInt, _ count: UInt) -> Int32 {
  let address = unsafe heap.allocate(count)
  guard address != 0, alignment <= Heap.alignment else {
    write("out of memory\n")
    end(isFailure: true)
  }
  unsafe result.pointee = address
  return 0
}

/// The implementation of `free`. Startup.s defines the function `free`, because the compiler reserves that name.
@_cdecl("release_memory")
public func release(_ address: UInt) {
  if address != 0 { unsafe heap.release(address) }
}

@_cdecl("memset")
public func fill(_ target: UnsafeMutablePointer<UInt8>, _ value: Int32, _ count: Int) -> UnsafeMutablePointer<UInt8> {
  for index in 0..<count { unsafe target[index] = UInt8(truncatingIfNeeded: value) }
  return unsafe target
}

@_cdecl("memmove")
public func move(
  _ target: UnsafeMutablePointer<UInt8>, _ source: UnsafePointer<UInt8>, _ count: Int
) -> UnsafeMutablePointer<UInt8> {
  if UInt(bitPattern: target) < UInt(bitPattern: source) {
    for index in 0..<count { unsafe target[index] = source[index] }
  } else {
    for index in (0..<count).reversed() { unsafe target[index] = source[index] }
  }
  return unsafe target
}
