// The coefficients of a macroblock's blocks, by the state machine of `TokenTree`: one loop over all bools of a group of
// blocks, which runs on across the ends of blocks. Neither what a bool is nor where a block ends is a branch; both come
// as a surprise to any processor.
//
// The chain from one bool to the next is all that counts. So the nodes' table for the block after this one is chosen
// beforehand, and taken when a block ends by a conditional move. It depends on that block's place, and on the neighbour
// above the block behind it (see `TokenTree`). What is known of each block lies on the stack, one after another:
//
//     0              16    18     20     24              32
//     ├ levels ──────┼ 0 ──┼ mask ┼ last ┼ following ────┤
//       16 numbers           bits   node   pointer
//
//     levels         in raster order. A block's first bool, which has none, stores its 0 behind them
//     last           the node that the block's last bool was read with, in bytes: its place tells the length, and that it
//                    is one of a first state that the block was empty. Before the first block there are two that have
//                    nothing else, columns 2 and 3 of the row above luma, and of `last` only that bit. Columns 0 and 1
//                    are looked at before the loop.
//     following      the table for the next block, if the neighbour above the one behind that has coefficients; where it
//                    is empty, the table after it is taken
//     mask           in chroma, whose rows are two blocks long, that neighbour is the block itself in a first row: the
//                    bit of `last` that tells. In a second row it is another plane's, or there is none, and the mask is
//                    0, so that `following` is what to take.

extension UnscaledBoolDecoder {
  /// Decodes a group of blocks: see `BlockReader`.
  @inline(__always)
  func blocks(
    _ group: BlockGroup, _ nodes: Span<UInt64>, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, _ offset: Int, _ large: inout LargeLevels
  ) -> (Self, UInt32) {
    precondition(nodes.count == TokenTree.nodeCount(tables: group == .y2 ? 1 : 5))
    return unsafe nodes.withUnsafeBytes { nodes in
      unsafe withUnsafeTemporaryAllocation(byteCount: TokenLoop.size, alignment: 16) { memory in
        let blocks = unsafe TokenLoop(
          nodes: nodes.baseAddress.unsafelyUnwrapped, memory: memory.baseAddress.unsafelyUnwrapped)
        let bools: Self
        let end = unsafe blocks.block(group.count)
        switch group {
        case .luma:
          unsafe blocks.prepareLuma(above, left)
          bools = unsafe luma(blocks, end, above, left, bytes, offset, &large)
        case .chroma:
          unsafe blocks.prepareChroma(above, left)
          bools = unsafe chroma(blocks, end, above, left, bytes, offset, &large)
        case .y2:
          unsafe blocks.prepare(0, TokenLoop.beside(isEmpty: 0))
          bools = unsafe y2(blocks, end, above, left, bytes, offset, &large)
        }
        for index in 0..<group.count {
          unsafe levels.storeVector(blocks.levels(index), at: offset &+ 16 &* index)
        }
        return unsafe (bools, blocks.codes(group.count))
      }
    }
  }

  // Functions of their own, and an end that is told: what the compiler knew of where the memory is and how far it goes it
  // would use to have a number in place of the block's address, and add up addresses in the loop.

  @inline(never)
  private func luma(
    _ blocks: TokenLoop, _ end: UnsafeMutableRawPointer, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ offset: Int, _ large: inout LargeLevels
  ) -> Self { unsafe run(.luma, blocks, end, above, left, bytes, offset, &large) }

  @inline(never)
  private func chroma(
    _ blocks: TokenLoop, _ end: UnsafeMutableRawPointer, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ offset: Int, _ large: inout LargeLevels
  ) -> Self { unsafe run(.chroma, blocks, end, above, left, bytes, offset, &large) }

  @inline(never)
  private func y2(
    _ blocks: TokenLoop, _ end: UnsafeMutableRawPointer, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ offset: Int, _ large: inout LargeLevels
  ) -> Self { unsafe run(.y2, blocks, end, above, left, bytes, offset, &large) }

  @inline(__always)
  private func run(
    _ group: BlockGroup, _ blocks: TokenLoop, _ end: UnsafeMutableRawPointer, _ above: UInt32, _ left: UInt32,
    _ bytes: Span<UInt8>, _ offset: Int, _ large: inout LargeLevels
  ) -> Self {
    var bools = self
    var record = unsafe blocks.record(firstIn: left & 1 &+ above & 1)
    // Behind the Y2 block there is none, and for it one table.
    var nodes = unsafe blocks.nodes + TokenLoop.beside(isEmpty: group == .y2 ? 0 : ~above >> 1 & 1)
    var block = unsafe blocks.block(0)
    allBools: while true {
      // What is called is called out here, so that in the loop all there is stays in registers.
      bools.refillIfNeeded(bytes)
      // Where the node is, in bytes.
      var node = Int(record >> 16)
      repeat {
        let next = unsafe nodes.load(fromByteOffset: node, as: UInt64.self)
        let one = bools.take(bools.split(record & 0xFF))
        let following = unsafe TokenLoop.following(block, node, isLuma: group == .luma)
        record = next >> 32 & one | next & TokenTree.low & ~one
        // Every bool stores a level, most of them 0, which a later one at the same place overwrites.
        unsafe TokenLoop.store(Int8(truncatingIfNeeded: record >> 8), block, node)
        unsafe nodes = record & TokenTree.first == 0 ? nodes : following
        unsafe block += TokenLoop.step(record)
        if unsafe block >= end { break allBools }
        node = Int(record >> 16)
      } while !bools.needsBytes && record & TokenTree.large == 0
      if record & TokenTree.large == 0 { continue }
      node &= 16 &* TokenTree.tableCount &- 1
      let following = unsafe TokenLoop.following(block, node, isLuma: group == .luma)
      let level: Int
      (bools, level) = TokenMachine.large(bools, bytes, category: (node >> 3 & 63) &- 60)
      record = unsafe nodes.load(fromByteOffset: node, as: UInt64.self) & TokenTree.low
      let place = unsafe offset &+ 16 &* blocks.index(block) &+ node >> 9
      unsafe TokenLoop.store(large.keep(level, at: place), block, node)
      unsafe nodes = record & TokenTree.first == 0 ? nodes : following
      unsafe block += TokenLoop.step(record)
      if unsafe block >= end { break }
    }
    return bools
  }
}

/// The memory that the loop works on. The bounds: a record's node is in the table that it is looked up in, or one of the
/// first states behind that; its place is one of 16 in a block, or one of two behind them; and the loop ends with the
/// last block. Y2 has one table: the one behind it is named after an empty block, and never read.
@unsafe
private struct TokenLoop {
  /// Sixteen blocks, and the two before them.
  static let size = 18 * stride
  private static let stride = 32
  private static let mask = 18
  private static let last = 20
  private static let following = 24
  /// Of a table of nodes, in bytes.
  private static let tableSize: Int = 8 &* TokenTree.tableCount

  let nodes: UnsafeRawPointer
  let memory: UnsafeMutableRawPointer

  /// The table for a block that is not the last of its row, from the beginning of all nodes.
  @inline(__always)
  static func beside(isEmpty: UInt32) -> Int { unsafe tableSize &* Int(isEmpty) }

  /// The table for the last block of a row.
  ///
  /// - Parameter empty: how many neighbours of the next row's first block are empty.
  @inline(__always)
  static func below(empty: UInt32) -> Int { unsafe 8 &* TokenTree.rowBegins &+ tableSize &* Int(empty) }

  @inline(__always)
  func prepareLuma(_ above: UInt32, _ left: UInt32) {
    // A first state where there is nothing.
    unsafe block(-2).storeBytes(of: (~above & 4) << 11, toByteOffset: Self.last, as: UInt32.self)
    unsafe block(-1).storeBytes(of: (~above & 8) << 10, toByteOffset: Self.last, as: UInt32.self)
    for index in 0..<16 { unsafe prepare(index, Self.beside(isEmpty: 0)) }
    for row in 1..<4 { unsafe prepare(4 &* row &- 2, Self.below(empty: ~left >> UInt32(row) & 1)) }
  }

  @inline(__always)
  func prepareChroma(_ above: UInt32, _ left: UInt32) {
    unsafe prepare(0, Self.below(empty: ~left >> 1 & 1))  // U's second row begins, behind block 1
    unsafe prepare(1, Self.beside(isEmpty: 0))
    unsafe prepare(2, Self.below(empty: (~left >> 2 & 1) &+ (~above >> 2 & 1)))  // V's first row
    unsafe prepare(3, Self.beside(isEmpty: ~above >> 3 & 1))
    unsafe prepare(4, Self.below(empty: ~left >> 3 & 1))  // V's second row
    unsafe prepare(5, Self.beside(isEmpty: 0))
    unsafe prepare(6, Self.beside(isEmpty: 0))  // nothing follows, but something is taken
    unsafe prepare(7, Self.beside(isEmpty: 0))
  }

  /// - Parameter table: for the block after this one.
  @inline(__always)
  func prepare(_ index: Int, _ table: Int) {
    let block = unsafe block(index)
    unsafe block.storeBytes(of: .zero, as: SIMD16<Int8>.self)
    unsafe block.storeBytes(
      of: index & 2 == 0 ? UInt16(Self.tableSize) : 0, toByteOffset: Self.mask, as: UInt16.self)
    unsafe block.storeBytes(of: nodes + table, toByteOffset: Self.following, as: UnsafeRawPointer.self)
  }

  @inline(__always)
  func block(_ index: Int) -> UnsafeMutableRawPointer { unsafe memory + Self.stride &* (index &+ 2) }

  @inline(__always)
  func index(_ block: UnsafeMutableRawPointer) -> Int { unsafe (block - memory) / Self.stride &- 2 }

  @inline(__always)
  func levels(_ index: Int) -> SIMD16<Int8> { unsafe block(index).load(as: SIMD16<Int8>.self) }

  /// The table for the block after `block`. Called for each bool, before it is known.
  ///
  /// - Parameter node: in bytes.
  @inline(__always)
  static func following(_ block: UnsafeMutableRawPointer, _ node: Int, isLuma: Bool) -> UnsafeRawPointer {
    unsafe block.storeBytes(of: UInt32(truncatingIfNeeded: node), toByteOffset: last, as: UInt32.self)
    let table = unsafe block.load(fromByteOffset: following, as: UnsafeRawPointer.self)
    // Of the node of a first state, the bit is set that is a table's size.
    if isLuma {
      let upper = unsafe block.load(fromByteOffset: last &- 2 &* stride, as: UInt32.self)
      return unsafe table + Int(upper & UInt32(tableSize))
    }
    return unsafe table + node & Int(block.load(fromByteOffset: mask, as: UInt16.self))
  }

  /// How far it is to the block that `record` is a state of: nothing, or to the next one.
  @inline(__always)
  static func step(_ record: UInt64) -> Int { unsafe Int(record >> 24) & stride }

  @inline(__always)
  func record(firstIn context: UInt32) -> UInt64 {
    let place = (TokenTree.firstRecords &+ Int(context)) &* 8
    return unsafe nodes.load(fromByteOffset: place, as: UInt64.self) & TokenTree.low
  }

  /// - Parameter node: in bytes.
  @inline(__always)
  static func store(_ level: Int8, _ block: UnsafeMutableRawPointer, _ node: Int) {
    unsafe block.storeBytes(of: level, toByteOffset: node >> 9, as: Int8.self)
  }

  /// The codes of all blocks: two bits each.
  @inline(__always)
  func codes(_ count: Int) -> UInt32 {
    // By the place of the position that the block has ended at: 1; 2 and 3 in their order; those behind.
    let (dcOnly, short) = (3 ^ CoefficientCode.dcOnly, 3 ^ CoefficientCode.short)
    let byPlace = ~(dcOnly << 2 | short << 8 | short << 16)
    var codes: UInt32 = 0
    for index in 0..<count {
      let last = unsafe block(index).load(fromByteOffset: Self.last, as: UInt32.self)
      let isCoded = (last >> 13 & 1) &- 1
      codes = codes >> 2 | (byPlace &>> (last >> 8 & 30) & isCoded) << 30
    }
    return codes >> UInt32(32 &- 2 &* count)
  }
}
