// What the loop over tokens knows of each block lies on the stack, one block after another:
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

/// The blocks of a group, and the nodes. The bounds: a record's node is in the table that it is looked up in, or one of the
/// first states behind that; its place is one of 16 in a block, or one of two behind them; and the loop ends with the
/// last block. Y2 has one table: the one behind it is named after an empty block, and never read.
@unsafe
struct TokenLoopMemory {
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

  /// Goes to the block after `block`, and to its table.
  ///
  /// - Parameter node: that the last bool was read with, in bytes.
  @inline(__always)
  static func endBlock(
    _ node: Int, _ nodes: inout UnsafeRawPointer, _ block: inout UnsafeMutableRawPointer, isLuma: Bool
  ) {
    unsafe block.storeBytes(of: UInt32(truncatingIfNeeded: node), toByteOffset: last, as: UInt32.self)
    unsafe nodes = block.load(fromByteOffset: following, as: UnsafeRawPointer.self)
    // Of the node of a first state, the bit is set that is a table's size.
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
    // By the place of the position that the block has ended at: 1; 2 and 3 in their order; those behind. First states,
    // from 16 on, are empty blocks'.
    let (dcOnly, short) = (3 ^ CoefficientCode.dcOnly, 3 ^ CoefficientCode.short)
    let byPlace = UInt64(~(dcOnly << 2 | short << 8 | short << 16))
    var codes: UInt32 = 0
    for index in (0..<count).reversed() {
      let last = unsafe block(index).load(fromByteOffset: Self.last, as: UInt32.self)
      codes = codes << 2 | UInt32(truncatingIfNeeded: byPlace &>> UInt64(last >> 8 & 62)) & 3
    }
    return codes
  }
}
