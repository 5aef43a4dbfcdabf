// The state of the loop over tokens, in the stack memory of one block after another:
//
//     0              16    18     20     24              32
//     ├ coefficients ┼ 0 ──┼ mask ┼ last ┼ following ────┤
//       16 numbers           bits   node   pointer
//
//     coefficients   The coefficients in raster order. The first bool of a block completes no coefficient, and stores
//                    a 0 in the two bytes after them.
//     last           The offset in bytes of the node with which the block's last bool was decoded. It contains the
//                    position at which the block ended. If the block is empty, it is the node of a first state, which
//                    one of its bits indicates.
//     following      The table of the next block, n, if the block above block n + 1 has coefficients. If the block
//                    above block n + 1 is empty, n uses the table that comes after `following`.
//     mask           For chroma, whose rows have two blocks. In a first row, the block above block n + 1 is the current
//                    block itself, and the mask is the bit of `last` that indicates an empty block. In a second row,
//                    the block above block n + 1 is in another plane or does not exist. The mask is then 0, which
//                    selects `following`.
//
// Two entries precede the first block of luma, for columns 2 and 3 of the row above it. Of their fields, only the bit
// of `last` is used. Columns 0 and 1 of that row are used before the loop.
//
// Unsafe code: A precondition checks the number of nodes. Coefficients are written to memory of a constant size on
// the stack, and copied with bounds checks. The stream's bits only select one of two records. `TokenStateTable` has
// made the records: they point to nodes of the same table, or to one of the first states of the next table.
// Positions are one of 16 in the block, or one of two after them. The loop ends with the last block of the plane. Y2
// has one table. After an empty Y2 block, the address after that table is computed, but not read.
// Plain formula: `PlainTokens` in Tests/PureWebPTests/TokenTests.swift.

internal import WebPFormat

/// The memory of a plane's blocks, and the nodes of their tables.
///
/// All accesses are in bounds. The node of a record is in its table, or is a first state after the table. A position is
/// one of the 16 positions of a block, or one of the two bytes after them. The loop ends with the last block. Y2 has
/// one table. If its block is empty, the address after that table is computed, but not read.
@unsafe
struct TokenLoopMemory {
  /// Sixteen blocks, and the two before them.
  static let size = 18 * stride
  private static let stride = 32
  private static let mask = 18
  private static let last = 20
  private static let following = 24
  /// The size of a table of nodes, in bytes.
  private static let tableSize: Int = 8 &* TokenStateTable.nodesPerTable

  let nodes: UnsafeRawPointer
  let memory: UnsafeMutableRawPointer

  /// The offset, among all nodes, of the table for a block that is not the last of its row.
  @inline(__always)
  static func beside(isEmpty: UInt32) -> Int { unsafe tableSize &* Int(isEmpty) }

  /// The offset of the table for the last block of a row.
  ///
  /// - Parameter empty: the number of empty neighbors of the next row's first block.
  @inline(__always)
  static func below(empty: UInt32) -> Int { unsafe 8 &* TokenStateTable.rowBegins &+ tableSize &* Int(empty) }

  @inline(__always)
  func prepareLuma(_ above: UInt32, _ left: UInt32) {
    // The bit of a first state if the block is empty. Otherwise 0.
    unsafe block(-2).storeBytes(of: (~above & 4) << 11, toByteOffset: Self.last, as: UInt32.self)
    unsafe block(-1).storeBytes(of: (~above & 8) << 10, toByteOffset: Self.last, as: UInt32.self)
    for index in 0..<16 { unsafe prepare(index, Self.beside(isEmpty: 0)) }
    for row in 1..<4 { unsafe prepare(4 &* row &- 2, Self.below(empty: ~left >> UInt32(row) & 1)) }
  }

  @inline(__always)
  func prepareChroma(_ above: UInt32, _ left: UInt32) {
    unsafe prepare(0, Self.below(empty: ~left >> 1 & 1))  // followed by the second row of U, after block 1
    unsafe prepare(1, Self.beside(isEmpty: 0))
    unsafe prepare(2, Self.below(empty: (~left >> 2 & 1) &+ (~above >> 2 & 1)))  // V's first row
    unsafe prepare(3, Self.beside(isEmpty: ~above >> 3 & 1))
    unsafe prepare(4, Self.below(empty: ~left >> 3 & 1))  // V's second row
    unsafe prepare(5, Self.beside(isEmpty: 0))
    unsafe prepare(6, Self.beside(isEmpty: 0))  // nothing follows, but a table is loaded
    unsafe prepare(7, Self.beside(isEmpty: 0))
  }

  /// - Parameter table: the offset of the table for the block after this one.
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
  func coefficients(_ index: Int) -> SIMD16<Int8> { unsafe block(index).load(as: SIMD16<Int8>.self) }

  /// Advances to the block after `block`, and to its table.
  ///
  /// - Parameter node: the offset, in bytes, of the node that the last bool was decoded with.
  @inline(__always)
  static func endBlock(
    _ node: Int, _ nodes: inout UnsafeRawPointer, _ block: inout UnsafeMutableRawPointer, isLuma: Bool
  ) {
    unsafe block.storeBytes(of: UInt32(truncatingIfNeeded: node), toByteOffset: last, as: UInt32.self)
    unsafe nodes = block.load(fromByteOffset: following, as: UnsafeRawPointer.self)
    // The bit whose value is `tableSize` is set in the offset of a first state's node, but not in other offsets.
    if isLuma {
      let upper = unsafe block.load(fromByteOffset: last &- 2 &* stride, as: UInt32.self)
      unsafe nodes += Int(upper & UInt32(tableSize))
    } else {
      unsafe nodes += node & Int(block.load(fromByteOffset: mask, as: UInt16.self))
    }
    unsafe block += stride
  }

  @inline(__always)
  func record(firstIn context: UInt32) -> UInt64 {
    let offset = (TokenStateTable.firstRecords &+ Int(context)) &* 8
    return unsafe nodes.load(fromByteOffset: offset, as: UInt64.self) & TokenStateTable.low
  }

  /// Stores a coefficient at the position of a node.
  ///
  /// - Parameter node: the offset of the node, in bytes.
  @inline(__always)
  static func store(_ coefficient: Int8, _ block: UnsafeMutableRawPointer, _ node: Int) {
    unsafe block.storeBytes(of: coefficient, toByteOffset: node >> 9, as: Int8.self)
  }

  /// The extents of all blocks: two bits each.
  @inline(__always)
  func extents(_ count: Int) -> UInt32 {
    // Two bits for each raster position at which a block can end. A block that ends at coded position 1 (raster
    // position 1) is `dcOnly`, at 2 or 3 (raster positions 4 and 8) `short`, and at a later one `full`. First states
    // have positions from 16 on, whose bits are `empty`.
    let (dcOnly, short) = (3 ^ BlockExtent.dcOnly, 3 ^ BlockExtent.short)
    let byPosition = UInt64(~(dcOnly << 2 | short << 8 | short << 16))
    var extents: UInt32 = 0
    for index in (0..<count).reversed() {
      let last = unsafe block(index).load(fromByteOffset: Self.last, as: UInt32.self)
      extents = extents << 2 | UInt32(truncatingIfNeeded: byPosition &>> UInt64(last >> 8 & 62)) & 3
    }
    return extents
  }
}

// Stores of quantized coefficients: several in one operation, or with bounds checks that the compiler can merge.

extension MutableSpan<Int8> {
  /// Stores `count` vectors of sixteen numbers from `offset` on. Traps unless all are in bounds, which is checked once.
  @inline(__always)
  mutating func storeVectors(_ count: Int, at offset: Int, _ vector: (Int) -> SIMD16<Int8>) {
    precondition(offset >= 0 && offset <= self.count &- 16 &* count)
    // `unsafe` is required to write the bytes of numbers, and because the stores are not checked again.
    var bytes = unsafe mutableBytes
    for index in 0..<count {
      unsafe bytes.storeBytes(
        of: vector(index), toUncheckedByteOffset: offset &+ 16 &* index, as: SIMD16<Int8>.self)
    }
  }

  /// Stores a number at index `position`, 0...15, of the sixteen numbers at `offset`. Traps unless all sixteen are in
  /// bounds, so that the compiler can merge the checks of several stores.
  @inline(__always)
  mutating func store(_ number: Int8, at position: Int, ofBlockAt offset: Int) {
    precondition(offset >= 0 && offset <= count &- 16)
    unsafe self[unchecked: offset &+ position & 15] = number
  }
}
