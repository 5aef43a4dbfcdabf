// swift-format-ignore-file: AlwaysUseLowerCamelCase, because the names follow the C library's

// The memory of Swift's objects and arrays. Swift's runtime ends the process if an allocation fails. Therefore its
// calls of malloc, posix_memalign and free are redirected to this file (see `build`).
//
//     heap ──▶ block ◀──▶ block ◀──▶ …        block   ├ next ┼ previous ┼ heap ┼ start ┼ payload … ┤
//                                                      32 bytes
//
// If an allocation fails, the function that began the attempt releases all blocks of the heap, without destroying the
// objects in them, and reports the failure. No object outside of the heap refers to one of its blocks.
//
// Helper threads use the heap of their decode, and end before it does. A stage of the pipeline is an attempt of its
// thread. A failed stage ends the run like one that needs more bytes. After all helpers have ended, the failure is
// reported on the caller's thread.
//
// Unsafe code: each pointer is either a block's, or was computed from one by the distance of 32 bytes, which each block
// has.

internal import CWebP

/// The header of a block.
@safe private struct HeapBlock {
  var next: UnsafeMutablePointer<HeapBlock>?
  var previous: UnsafeMutablePointer<HeapBlock>?
  var heap: UnsafeMutablePointer<WebPHeap>?
  /// The result of malloc. The header may follow it, if the payload has a larger alignment than malloc's.
  var start: UnsafeMutableRawPointer
}

private let headerSize = 32
private let usualAlignment = 16

extension WebPHeap {
  /// Calls `body`, whose allocations belong to this heap. A C function, because the context of a closure would be an
  /// allocation before the attempt.
  ///
  /// - Parameter context: the argument of `body`.
  /// - Returns: false if an allocation failed. Then the heap is empty, and its objects no longer exist.
  mutating func attempt(
    _ context: UnsafeMutableRawPointer, _ body: @convention(c) (UnsafeMutableRawPointer) -> Void
  ) -> Bool {
    if unsafe webp_attempt(&self, body, context) != 0 { return true }
    unsafe releaseAll()
    return false
  }

  /// Releases all blocks, without destroying the objects in them.
  mutating func releaseAll() {
    var first = unsafe blocks
    while let block = unsafe first?.assumingMemoryBound(to: HeapBlock.self) {
      unsafe first = UnsafeMutableRawPointer(block.pointee.next)
      unsafe webp_free(block.pointee.start)
    }
    unsafe (blocks, failed) = (nil, 0)
  }
}

@c func webp_swift_posix_memalign(
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: Int, _ size: Int
) -> Int32 {
  guard let memory = unsafe allocate(size, alignment: max(alignment, usualAlignment)) else { return 12 }  // ENOMEM
  unsafe result.pointee = memory
  return 0
}

@c func webp_swift_malloc(_ size: Int) -> UnsafeMutableRawPointer? { unsafe allocate(size, alignment: usualAlignment) }

@c func webp_swift_free(_ memory: UnsafeMutableRawPointer?) {
  guard let memory = unsafe memory else { return }
  unsafe releaseBlock((memory - headerSize).assumingMemoryBound(to: HeapBlock.self))
}

/// - Parameter alignment: a power of two, at least malloc's.
/// - Returns: nil only outside of an attempt.
private func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
  let heap = unsafe webp_heap()
  let (total, overflow) = size.addingReportingOverflow(headerSize + alignment - usualAlignment)
  guard !overflow, let start = unsafe webp_malloc(total) else {
    if unsafe heap != nil { webp_escape() }
    return nil
  }
  // The payload ends at or before `start + total`, because it begins at most `alignment - usualAlignment` bytes after
  // `start + headerSize`.
  let payload = unsafe (start + headerSize).alignedUp(toMultipleOf: alignment)
  let block = unsafe (payload - headerSize).assumingMemoryBound(to: HeapBlock.self)
  unsafe block.initialize(to: HeapBlock(next: nil, previous: nil, heap: heap, start: start))
  guard let heap = unsafe heap else { return unsafe payload }
  unsafe webp_lock(heap)
  let next = unsafe heap.pointee.blocks?.assumingMemoryBound(to: HeapBlock.self)
  unsafe block.pointee.next = unsafe next
  unsafe next?.pointee.previous = block
  unsafe heap.pointee.blocks = UnsafeMutableRawPointer(block)
  unsafe webp_unlock(heap)
  return unsafe payload
}

private func releaseBlock(_ block: UnsafeMutablePointer<HeapBlock>) {
  if let heap = unsafe block.pointee.heap {
    unsafe webp_lock(heap)
    let (next, previous) = unsafe (block.pointee.next, block.pointee.previous)
    unsafe next?.pointee.previous = previous
    if let previous = unsafe previous {
      unsafe previous.pointee.next = next
    } else {
      unsafe heap.pointee.blocks = UnsafeMutableRawPointer(next)
    }
    unsafe webp_unlock(heap)
  }
  unsafe webp_free(block.pointee.start)
}
