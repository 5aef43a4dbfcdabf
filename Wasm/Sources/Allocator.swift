// The allocation functions of the C runtime that Embedded Swift requires: a first-fit allocator in WebAssembly's linear
// memory.
//
// The heap begins after the data that the linker has placed. It consists of adjacent blocks. The free blocks form a
// list in the order of their addresses, so that adjacent ones can be merged:
//
//     ┌──────┬─────────────┐   ┌──────┬──────┬──────┐
//     │ size │ payload …   │   │ size │ next │  …   │
//     └──────┴─────────────┘   └──────┴──────┴──────┘
//      16 bytes                 a free block
//
// A decoder makes only a few dozen allocations for each image, so the list stays short.
//
// The compiler declares malloc and free itself, so the functions have other names. The linker's option --wrap redirects
// the calls.

@_extern(c, "llvm.wasm.memory.grow.i32") private func growMemory(_ memory: Int32, _ pages: Int32) -> Int32

private let headerSize: UInt32 = 16
private let pageSize: UInt32 = 65536

/// The address of the first free block, or 0.
nonisolated(unsafe) private var firstFree: UInt32 = 0

@_cdecl("__wrap_malloc")
public func allocate(_ count: UInt) -> UnsafeMutableRawPointer? {
  guard count <= 0x7fff_0000 else { return nil }
  let size = (UInt32(truncatingIfNeeded: count) &+ headerSize &+ 15) & ~15
  guard let block = takeFree(size) ?? (grow(by: size) ? takeFree(size) : nil) else { return nil }
  return unsafe UnsafeMutableRawPointer(bitPattern: UInt(block &+ headerSize))
}

@_cdecl("__wrap_posix_memalign")
public func allocateAligned(
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: UInt, _ count: UInt
) -> Int32 {
  guard alignment <= 16 else { return 22 }  // EINVAL
  // Callers request temporary memory, and do not check the result.
  guard let memory = unsafe allocate(count) else { fatalError() }
  unsafe result.pointee = memory
  return 0
}

@_cdecl("__wrap_free")
public func release(_ memory: UnsafeMutableRawPointer?) {
  guard let memory = unsafe memory else { return }
  addFree(UInt32(truncatingIfNeeded: UInt(bitPattern: memory)) &- headerSize)
}

/// Removes a block of `size` bytes from the free list. A larger block is split.
private func takeFree(_ size: UInt32) -> UInt32? {
  var previous: UInt32 = 0
  var block = unsafe firstFree
  while block != 0 {
    var next = word(block &+ 4)
    let available = word(block)
    if available >= size {
      let rest = available &- size
      if rest >= 2 &* headerSize {
        setWord(block, size)
        setWord(block &+ size, rest)
        setWord(block &+ size &+ 4, next)
        next = block &+ size
      }
      link(previous, to: next)
      return block
    }
    previous = block
    block = next
  }
  return nil
}

/// Inserts a block into the free list, merged with adjacent free blocks.
private func addFree(_ block: UInt32) {
  var previous: UInt32 = 0
  var next = unsafe firstFree
  while next != 0, next < block {
    previous = next
    next = word(next &+ 4)
  }
  var after = next
  if next != 0, block &+ word(block) == next {
    setWord(block, word(block) &+ word(next))
    after = word(next &+ 4)
  }
  if previous != 0, previous &+ word(previous) == block {
    setWord(previous, word(previous) &+ word(block))
    setWord(previous &+ 4, after)
  } else {
    setWord(block &+ 4, after)
    link(previous, to: block)
  }
}

/// Grows the linear memory by at least `size` bytes. Returns whether the host permitted it.
private func grow(by size: UInt32) -> Bool {
  let pages = (size &+ pageSize &- 1) / pageSize
  let before = growMemory(0, Int32(bitPattern: pages))
  guard before >= 0 else { return false }
  let block = UInt32(bitPattern: before) &* pageSize
  setWord(block, pages &* pageSize)
  addFree(block)
  return true
}

private func link(_ previous: UInt32, to next: UInt32) {
  if previous == 0 {
    unsafe firstFree = next
  } else {
    setWord(previous &+ 4, next)
  }
}

private func word(_ address: UInt32) -> UInt32 {
  unsafe UnsafePointer<UInt32>(bitPattern: UInt(address)).unsafelyUnwrapped.pointee
}

private func setWord(_ address: UInt32, _ value: UInt32) {
  unsafe UnsafeMutablePointer<UInt32>(bitPattern: UInt(address)).unsafelyUnwrapped.pointee = value
}
