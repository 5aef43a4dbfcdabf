// The coefficients of a macroblock's blocks, by the state machine of `TokenTree`: one loop over all bools of a group of
// blocks, which runs on across the ends of blocks. Neither what a bool is nor where a block ends is a branch; both come
// as a surprise to any processor.
//
// The chain from one bool to the next is all that counts. So the nodes' table for the block after this one is chosen
// beforehand, and taken when a block ends by a conditional move. It depends on that block's place, and on the neighbour
// above the block behind it (see `TokenTree`). What is known of each block lies on the stack:
//
//     0              8              72               200
//     ├ above ───────┼ last ────────┼ following ─────┤
//       2 nodes        16 nodes       16 pointers
//
//     last           the node that the block's last bool was read with, in bytes: its place tells the length, and that it
//                    is one of a first state that the block was empty
//     above          the same for columns 2 and 3 of the row above luma, of which only that bit counts. Columns 0 and 1 are
//                    looked at before the loop.
//     following      the table for the next block, if the neighbour above the one behind that has coefficients; where it
//                    is empty, the table after it is taken
//
// In chroma, whose rows are two blocks long, that neighbour is the block itself in a first row (blocks 0, 1, 4 and 5).
// In a second one it is another plane's, or there is none, so that `following` is what to take.

extension UnscaledBoolDecoder {
  /// Decodes a group of blocks: see `BlockReader`.
  @inline(__always)
  func blocks(
    _ group: BlockGroup, _ nodes: Span<UInt64>, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, _ offset: Int, _ large: inout LargeLevels
  ) -> (Self, UInt32) {
    let count = group.count
    precondition(nodes.count == TokenTree.nodeCount(tables: group == .y2 ? 1 : 5))
    // A block's first bool stores its level, 0, in the next block.
    precondition(offset >= 0 && offset <= levels.count &- 16 &* count &- CodedLevels.slack)
    for block in 0..<count { levels.storeVector(.zero, at: offset &+ 16 &* block) }
    return unsafe nodes.withUnsafeBytes { nodes in
      unsafe levels.withUnsafeMutableBytes { levels in
        unsafe withUnsafeTemporaryAllocation(byteCount: TokenLoop.size, alignment: 16) { memory in
          let blocks = unsafe TokenLoop(
            nodes: nodes.baseAddress.unsafelyUnwrapped, levels: levels.baseAddress.unsafelyUnwrapped + offset,
            memory: memory.baseAddress.unsafelyUnwrapped)
          switch group {
          case .luma: unsafe blocks.prepareLuma(above, left)
          case .chroma: unsafe blocks.prepareChroma(above, left)
          case .y2: unsafe blocks.prepare(0, TokenLoop.beside(isEmpty: 0))
          }
          return unsafe run(group, bytes, blocks, above, left, offset, &large)
        }
      }
    }
  }

  @inline(__always)
  private func run(
    _ group: BlockGroup, _ bytes: Span<UInt8>, _ blocks: TokenLoop, _ above: UInt32, _ left: UInt32, _ offset: Int,
    _ large: inout LargeLevels
  ) -> (Self, UInt32) {
    var bools = self
    var record = unsafe blocks.record(firstIn: left & 1 &+ above & 1)
    // Behind the Y2 block there is none, and for it one table.
    var nodes = unsafe blocks.nodes + TokenLoop.beside(isEmpty: group == .y2 ? 0 : ~above >> 1 & 1)
    // The block, times 4.
    var block = 0
    allBools: while true {
      // Where the node is, in bytes.
      var node = Int(record >> 16)
      repeat {
        let top = bools.topBit(bytes)
        let next = unsafe nodes.load(fromByteOffset: node, as: UInt64.self)
        let one = bools.take(Self.split(bools.range, UInt8(truncatingIfNeeded: record), top))
        let following = unsafe blocks.following(block, node, isLuma: group == .luma)
        record = next >> 32 & one | next & TokenTree.low & ~one
        // Every bool stores a level, most of them 0, which a later one at the same place overwrites.
        unsafe blocks.store(Int8(truncatingIfNeeded: record >> 8), block, node)
        unsafe nodes = record & TokenTree.first == 0 ? nodes : following
        block &+= Int(record >> 27 & 4)
        if block >= 4 &* group.count { break allBools }
        node = Int(record >> 16)
      } while record & TokenTree.large == 0
      node &= 16 &* TokenTree.tableCount &- 1
      let following = unsafe blocks.following(block, node, isLuma: group == .luma)
      let level: Int
      (bools, level) = TokenMachine.large(bools, bytes, category: (node >> 3 & 63) &- 60)
      record = unsafe nodes.load(fromByteOffset: node, as: UInt64.self) & TokenTree.low
      unsafe blocks.store(large.keep(level, at: offset &+ 4 &* block &+ node >> 9), block, node)
      unsafe nodes = record & TokenTree.first == 0 ? nodes : following
      block &+= Int(record >> 27 & 4)
      if block >= 4 &* group.count { break }
    }
    return unsafe (bools, blocks.codes(group.count))
  }
}

/// The memory that the loop works on. The bounds: a record's node is in the table that it is looked up in, or one of the
/// first states behind that; its place is one of 16 in a block, or one in the next block; and the loop ends with the last
/// block. Y2 has one table: the one behind it is named after an empty block, and never read.
@unsafe
private struct TokenLoop {
  static let size = 200
  private static let last = 8
  private static let following = 72
  /// Of a table of nodes, in bytes.
  private static let tableSize: Int = 8 &* TokenTree.tableCount

  let nodes: UnsafeRawPointer
  let levels: UnsafeMutableRawPointer
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
    let empty = (SIMD2<UInt32>(repeating: ~above) & SIMD2(4, 8)) &* SIMD2(1 << 11, 1 << 10)
    unsafe memory.storeBytes(of: empty, as: SIMD2<UInt32>.self)
    for block in 0..<16 { unsafe prepare(block, Self.beside(isEmpty: 0)) }
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

  /// - Parameter table: for the block after `block`.
  @inline(__always)
  func prepare(_ block: Int, _ table: Int) {
    unsafe memory.storeBytes(of: nodes + table, toByteOffset: Self.following &+ 8 &* block, as: UnsafeRawPointer.self)
  }

  /// The table for the block after `block`, which is in its place times 4. Called for each bool, before it is known.
  @inline(__always)
  func following(_ block: Int, _ node: Int, isLuma: Bool) -> UnsafeRawPointer {
    unsafe memory.storeBytes(of: UInt32(truncatingIfNeeded: node), toByteOffset: Self.last &+ block, as: UInt32.self)
    let table = unsafe memory.loadUnaligned(fromByteOffset: Self.following &+ 2 &* block, as: UnsafeRawPointer.self)
    // Of the node of a first state, the bit is set that is a table's size.
    if isLuma {
      let upper = unsafe memory.load(fromByteOffset: Self.last &+ block &- 8, as: UInt32.self)
      return unsafe table + Int(upper & UInt32(Self.tableSize))
    }
    // Of a block in a second row, bit 3 is set.
    return unsafe table + node & ~(block << 10) & Self.tableSize
  }

  @inline(__always)
  func record(firstIn context: UInt32) -> UInt64 {
    let place = (TokenTree.firstRecords &+ Int(context)) &* 8
    return unsafe nodes.load(fromByteOffset: place, as: UInt64.self) & TokenTree.low
  }

  /// - Parameters:
  ///   - block: its place times 4.
  ///   - node: in bytes.
  @inline(__always)
  func store(_ level: Int8, _ block: Int, _ node: Int) {
    unsafe levels.storeBytes(of: level, toByteOffset: 4 &* block &+ node >> 9, as: Int8.self)
  }

  /// The codes of all blocks: two bits each.
  @inline(__always)
  func codes(_ count: Int) -> UInt32 {
    // By the place of the position that the block has ended at: 1; 2 and 3 in their order; those behind.
    let (dcOnly, short) = (3 ^ CoefficientCode.dcOnly, 3 ^ CoefficientCode.short)
    let byPlace = ~(dcOnly << 2 | short << 8 | short << 16)
    var codes: UInt32 = 0
    for block in 0..<count {
      let last = unsafe memory.load(fromByteOffset: Self.last &+ 4 &* block, as: UInt32.self)
      let isCoded = (last >> 13 & 1) &- 1
      codes = codes >> 2 | (byPlace &>> (last >> 8 & 30) & isCoded) << 30
    }
    return codes >> UInt32(32 &- 2 &* count)
  }
}
