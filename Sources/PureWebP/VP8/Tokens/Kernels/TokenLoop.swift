// The loop over the tokens of a plane's blocks, with the state machine that `TokenStateTable` describes.
//
// Bools are unpredictable, so the loop is branch-free except at the end of a block. The instructions that could replace
// that branch would be executed for each bool. Together, they would take at least as long as the misprediction at the
// end of the block.
//
// The time of the loop is determined by the dependency chain from one bool to the next. To keep the chain short, the
// bool that ends a block also selects the first state of the next block. The address of the next block's table is
// loaded meanwhile. Which table that is depends on the position of the block in its row, and on the block above its
// successor (see `TokenStateTable`). `TokenLoopMemory` stores the data of each block.
//
// Unsafe code: A precondition checks the number of nodes. Coefficients are written to memory of a constant size on
// the stack, and copied with bounds checks. The stream's bits only select one of two records. `TokenStateTable` has
// made the records: they point to nodes of the same table, or to one of the first states of the next table.
// Positions are one of 16 in the block, or one of two after them. The loop ends with the last block of the plane. Y2
// has one table. After an empty Y2 block, the address after that table is computed, but not read.
// Plain formula: `PlainTokens` in Tests/PureWebPTests/TokenTests.swift.

internal import WebPFormat

extension TokenStateMachine {
  @inline(__always)
  mutating func decode(
    _ plane: CoefficientPlane, _ tables: TokenStateTable, _ context: NonzeroContext, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int8>, at offset: Int, _ overflow: inout CoefficientOverflow
  ) -> UInt32 {
    let nodes = tables.nodes.span
    precondition(nodes.count == TokenStateTable.nodeCount(tables: plane == .y2 ? 1 : 5))
    return unsafe nodes.withUnsafeBytes { nodes in
      unsafe withUnsafeTemporaryAllocation(byteCount: TokenLoopMemory.size, alignment: 16) { memory in
        let blocks = unsafe TokenLoopMemory(
          nodes: nodes.baseAddress.unsafelyUnwrapped, memory: memory.baseAddress.unsafelyUnwrapped)
        let (above, left) = (context.above, context.left)
        switch plane {
        case .luma: unsafe blocks.prepareLuma(above, left)
        case .chroma: unsafe blocks.prepareChroma(above, left)
        case .y2: unsafe blocks.prepare(0, TokenLoopMemory.beside(isEmpty: 0))
        }
        let end = unsafe blocks.block(plane.count)
        let record = unsafe blocks.record(firstIn: left & 1 &+ above & 1)
        // The Y2 block is the last one of its plane, and has one table.
        let table = unsafe blocks.nodes + TokenLoopMemory.beside(isEmpty: plane == .y2 ? 0 : ~above >> 1 & 1)
        bools =
          plane == .luma
          ? unsafe bools.runLuma(blocks, end, record, table, bytes, offset, &overflow)
          : unsafe bools.runOthers(blocks, end, record, table, bytes, offset, &overflow)
        coefficients.storeVectors(plane.count, at: offset) { index in unsafe blocks.coefficients(index) }
        return unsafe blocks.extents(plane.count)
      }
    }
  }
}

extension LazyBoolDecoder {
  // Separate functions with `end` as a parameter: if the compiler knew the memory's address and size, it would replace
  // the pointer to the block by an index, and compute addresses in the loop.

  @inline(never)
  fileprivate func runLuma(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ overflow: inout CoefficientOverflow
  ) -> Self { unsafe run(blocks, end, record, table, bytes, offset, &overflow, isLuma: true) }

  @inline(never)
  fileprivate func runOthers(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ overflow: inout CoefficientOverflow
  ) -> Self { unsafe run(blocks, end, record, table, bytes, offset, &overflow, isLuma: false) }

  /// Decodes the blocks from the first one to `end`.
  ///
  /// - Parameters:
  ///   - record: the record of the first block's first state.
  ///   - table: the first block's table.
  @inline(__always)
  private func run(
    _ blocks: TokenLoopMemory, _ end: UnsafeMutableRawPointer, _ record: UInt64, _ table: UnsafeRawPointer,
    _ bytes: Span<UInt8>, _ offset: Int, _ overflow: inout CoefficientOverflow, isLuma: Bool
  ) -> Self {
    var bools = self
    var record = record
    var nodes = unsafe table
    var block = unsafe blocks.block(0)
    allBlocks: while true {
      // Functions are called outside of the inner loop, so that its variables stay in registers.
      bools.refillIfNeeded(bytes)
      // The offset of the node, in bytes.
      var node = Int(record >> 16)
      repeat {
        let next = unsafe nodes.load(fromByteOffset: node, as: UInt64.self)
        let split = bools.split(record & 0xFF)
        bools.take(split) { one in record = next >> 32 & one | next & TokenStateTable.low & ~one }
        // To avoid a branch, every bool stores a coefficient. Most of them are 0, and a later bool overwrites them.
        unsafe TokenLoopMemory.store(Int8(truncatingIfNeeded: record >> 8), block, node)
        if record & TokenStateTable.first != 0 {
          unsafe TokenLoopMemory.endBlock(node, &nodes, &block, isLuma: isLuma)
          if unsafe block >= end { break allBlocks }
        }
        node = Int(record >> 16)
      } while !bools.needsBytes && record & TokenStateTable.large == 0
      if record & TokenStateTable.large == 0 { continue }
      // Removes the bit `large`.
      node &= 16 &* TokenStateTable.nodesPerTable &- 1
      let value: Int
      (bools, value) = TokenStateMachine.decodeLarge(bools, bytes, category: (node >> 3 & 63) &- 60)
      record = unsafe nodes.load(fromByteOffset: node, as: UInt64.self) & TokenStateTable.low
      let index = unsafe offset &+ 16 &* blocks.index(block) &+ node >> 9
      unsafe TokenLoopMemory.store(overflow.split(value, at: index), block, node)
      if record & TokenStateTable.first != 0 {
        unsafe TokenLoopMemory.endBlock(node, &nodes, &block, isLuma: isLuma)
        if unsafe block >= end { break }
      }
    }
    return bools
  }
}
