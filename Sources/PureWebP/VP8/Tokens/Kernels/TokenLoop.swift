// The coefficients of a macroblock's blocks, by the state machine of `TokenTree`: one loop over all bools of a group of
// blocks. What a bool is comes as a surprise to any processor, and is not a branch. Where a block ends is one: to do
// without would take as much for each bool as a surprise takes for each block.
//
// The chain from one bool to the next is all that counts. So the next block's first state is known as soon as the bool
// that ends this one; the nodes that go on from it are looked up meanwhile, in a table which depends on that block's
// place, and on the neighbour above the block behind it (see `TokenTree`). `TokenLoopMemory` has what is known of each.

extension UnscaledBoolDecoder {
  /// Decodes a group of blocks: see `BlockReader`.
  @inline(__always)
  func blocks(
    _ group: BlockGroup, _ nodes: Span<UInt64>, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, _ offset: Int, _ large: inout LargeLevels
  ) -> (Self, UInt32) {
    precondition(nodes.count == TokenTree.nodeCount(tables: group == .y2 ? 1 : 5))
    return unsafe nodes.withUnsafeBytes { nodes in
      unsafe withUnsafeTemporaryAllocation(byteCount: TokenLoopMemory.size, alignment: 16) { memory in
        let blocks = unsafe TokenLoopMemory(
          nodes: nodes.baseAddress.unsafelyUnwrapped, memory: memory.baseAddress.unsafelyUnwrapped)
        switch group {
        case .luma: unsafe blocks.prepareLuma(above, left)
        case .chroma: unsafe blocks.prepareChroma(above, left)
        case .y2: unsafe blocks.prepare(0, TokenLoopMemory.beside(isEmpty: 0))
        }
        let end = unsafe blocks.block(group.count)
        let record = unsafe blocks.record(firstIn: left & 1 &+ above & 1)
        // Behind the Y2 block there is none, and for it one table.
        let table = unsafe blocks.nodes + TokenLoopMemory.beside(isEmpty: group == .y2 ? 0 : ~above >> 1 & 1)
        let bools =
          group == .luma
          ? unsafe runLuma(blocks, end, record, table, bytes, offset, &large)
          : unsafe runOthers(blocks, end, record, table, bytes, offset, &large)
        levels.storeVectors(group.count, at: offset) { index in unsafe blocks.levels(index) }
        return unsafe (bools, blocks.codes(group.count))
      }
    }
  }

  // Functions of their own, and an end that is told: what the compiler knew of where the memory is and how far it goes it
  // would use to have a number in place of the block's address, and add up addresses in the loop.

  @inline(never)
  private func runLuma(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ large: inout LargeLevels
  ) -> Self { unsafe run(blocks, end, record, table, bytes, offset, &large, isLuma: true) }

  @inline(never)
  private func runOthers(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ large: inout LargeLevels
  ) -> Self { unsafe run(blocks, end, record, table, bytes, offset, &large, isLuma: false) }

  /// - Parameters:
  ///   - record: of the first block's first state.
  ///   - table: the first block's.
  @inline(__always)
  private func run(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ large: inout LargeLevels, isLuma: Bool
  ) -> Self {
    var bools = self
    var record = record
    var nodes = unsafe table
    var block = unsafe blocks.block(0)
    allBlocks: while true {
      // What is called is called out here, so that in the loop all there is stays in registers.
      bools.refillIfNeeded(bytes)
      // Where the node is, in bytes.
      var node = Int(record >> 16)
      repeat {
        let next = unsafe nodes.load(fromByteOffset: node, as: UInt64.self)
        let split = bools.split(record & 0xFF)
        bools.take(split) { one in record = next >> 32 & one | next & TokenTree.low & ~one }
        // Every bool stores a level, most of them 0, which a later one at the same place overwrites.
        unsafe TokenLoopMemory.store(Int8(truncatingIfNeeded: record >> 8), block, node)
        if record & TokenTree.first != 0 {
          unsafe TokenLoopMemory.endBlock(node, &nodes, &block, isLuma: isLuma)
          if unsafe block >= end { break allBlocks }
        }
        node = Int(record >> 16)
      } while !bools.needsBytes && record & TokenTree.large == 0
      if record & TokenTree.large == 0 { continue }
      node &= 16 &* TokenTree.tableCount &- 1
      let level: Int
      (bools, level) = TokenMachine.large(bools, bytes, category: (node >> 3 & 63) &- 60)
      record = unsafe nodes.load(fromByteOffset: node, as: UInt64.self) & TokenTree.low
      let place = unsafe offset &+ 16 &* blocks.index(block) &+ node >> 9
      unsafe TokenLoopMemory.store(large.keep(level, at: place), block, node)
      if record & TokenTree.first != 0 {
        unsafe TokenLoopMemory.endBlock(node, &nodes, &block, isLuma: isLuma)
        if unsafe block >= end { break }
      }
    }
    return bools
  }
}
