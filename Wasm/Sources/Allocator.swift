// The C runtime that Embedded Swift asks for: memory, given out of WebAssembly's linear memory.
//
// The heap is everything above what the linker laid out. It is a row of blocks; those that are free form a list in the
// order of their addresses, so that neighbours grow together again when they are freed:
//
//     ┌──────┬─────────────┐   ┌──────┬──────┬──────┐
//     │ size │ payload …   │   │ size │ next │  …   │
//     └──────┴─────────────┘   └──────┴──────┴──────┘
//      16 bytes                 a free one
//
// A decoder makes a few dozen allocations for a picture: the first block that fits is near the beginning of the list.
//
// The names are not malloc and free, because the compiler declares those itself; the linker is told to take these.

@_extern(c, "llvm.wasm.memory.grow.i32") private func growMemory(_ memory: Int32, _ pages: Int32) -> Int32

private let headerSize: UInt32 = 16
private let pageSize: UInt32 = 65536

/// The address of the first free block; 0: none.
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
  // Who asks for temporary memory does not look whether there was any.
  guard let memory = unsafe allocate(count) else { fatalError() }
  unsafe result.pointee = memory
  return 0
}

@_cdecl("__wrap_free")
public func release(_ memory: UnsafeMutableRawPointer?) {
  guard let memory = unsafe memory else { return }
  addFree(UInt32(truncatingIfNeeded: UInt(bitPattern: memory)) &- headerSize)
}

/// Takes a block of `size` bytes out of the list of free ones.
private func takeFree(_ size: UInt32) -> UInt32? {
  var previous: UInt32 = 0
  var block = unsafe firstFree
  while block != 0 {
    var next = word(block &+ 4)
    let whole = word(block)
    if whole >= size {
      let rest = whole &- size
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

/// Puts a block into the list, as one with its neighbours if they are free, too.
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
