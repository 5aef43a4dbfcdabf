// The tree that coefficients are coded with (RFC 6386, section 13), as a state machine.
//
// The tree is unrolled over the 16 positions of a block and the 3 contexts. A state therefore determines the
// probability of the next bool. A *record* describes a state and the bool that led to it:
//
//      31      29      28   25 24  19 18    16 15     8 7           0
//   ├ large ┄ first ├ raster ┼ kind ─┼─ zero ─┼─ level ─┼ probability ┤
//           ├ node, in bytes ────────────────┤
//
// The *node* of a state contains two records. The low half is the record of the state after a 0, the high half is the
// record of the state after a 1. `raster` is the raster position of the coefficient in the block. `level` is signed.
// It is the coefficient that the last bool completed, or 0 if that bool completed none. `first` marks the record of a
// block's first state, which means that the last bool ended the previous block. The nodes of first states are stored
// after their table, at indexes that the next table does not use.
//
//   kind  0 … 2      a block's first state, by context
//         3 … 35     3 + context · 11 + node of coeff_tree (0 … 10)
//        36 … 45     the sign of a coefficient of magnitude kind − 35
//        46 … 49     the extra bits of dct_cat1 and dct_cat2
//        56 … 58     not states: at position 0, the low half is the record of a block's first state, by context
//        60 … 63     dct_cat3 … dct_cat6, marked as `large`: these have too many magnitudes for separate states. The
//                    loop decodes them, and continues with the record in the low half.
//
// The context of a block is the number of its nonempty neighbors: the block to the left, which has just ended, and the
// block above. A block is decoded with one of five tables. Its table determines the context of the next block:
//
//     table    next context, if the    next context, if the       used if
//              current block is empty  current block is nonempty
//     0        1                       2                          the block above the next one is nonempty
//     1        0                       1                          the block above the next one is empty
//     2, 3, 4  2, 1, 0                 2, 1, 0                    the next block begins a row in this context

internal import WebPFormat

/// The state machine for one of the four types of block, with a frame's probabilities.
struct TokenStateTable {
  static let first: UInt64 = 1 << 29
  static let large: UInt64 = 1 << 31
  /// Selects the record in a node's low half.
  static let low: UInt64 = 0xFFFF_FFFF
  static let firstRecords = 56
  /// The number of nodes of a table: 64 kinds for each of 16 raster positions.
  static let nodesPerTable = 1024
  /// The number of nodes after the last table. First states have position 0 or 1.
  private static let firstNodeCount = 128

  @inline(__always)
  static func nodeCount(tables: Int) -> Int { tables &* nodesPerTable &+ firstNodeCount }

  /// The index of the table for a block that is the last of its row, if the next row begins in context 2.
  static let rowBegins = 2 * nodesPerTable

  private static let afterEmpty = [1, 0, 2, 1, 0]
  private static let afterCoded = [2, 1, 2, 1, 0]

  let nodes: ContiguousArray<UInt64>

  /// - Parameters:
  ///   - type: 0 luma without its DC, 1 Y2, 2 chroma, 3 luma with its DC (section 13.3). The block after a Y2 block has
  ///     another type, so Y2 needs only one table.
  ///   - probabilities: see `coefficientProbabilityIndex`.
  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    let first = firstPosition(type: type)
    func position(_ position: Int) -> Position { Position(position, type: type, probabilities) }
    let start = position(first)
    let tableCount = type == 1 ? 1 : 5
    var table = ContiguousArray<UInt64>(filledWith: 0, count: Self.nodesPerTable)
    for context in 0..<3 { table[Self.firstRecords + context] = UInt64(start.first(context)) }
    for number in first..<15 { position(number).fill(&table, at: 0, end: 0) }
    var nodes = ContiguousArray<UInt64>()
    nodes.reserveCapacity(Self.nodeCount(tables: tableCount))
    for _ in 0..<tableCount { nodes.append(contentsOf: table) }
    nodes.append(contentsOf: repeatElement(0, count: Self.firstNodeCount))

    // The records that end a block differ from table to table.
    for number in 0..<tableCount {
      let afterEmpty = start.first(Self.afterEmpty[number])
      let afterCoded = start.first(Self.afterCoded[number])
      let base = number * Self.nodesPerTable
      for context in 0..<3 {
        nodes[base + start.firstIndex(context)] = UInt64(start.tree(context, 1)) << 32 | UInt64(afterEmpty)
        for index in stride(from: base + Position.kind(context, 0), to: base + 15 * 64, by: 64) {
          nodes[index] |= UInt64(afterCoded)
        }
      }
      // At position 15 every coefficient ends the block.
      position(15).fill(&nodes, at: base, end: afterCoded)
    }
    self.nodes = nodes
  }

  /// The states at one position of a block.
  private struct Position: ~Copyable {
    /// The records of kind 0 with probability 0, at this position and at the next one.
    private let record: UInt32
    private let nextRecord: UInt32
    /// The indexes of the probabilities of both positions.
    private let index: Int
    private let nextIndex: Int
    private let isLast: Bool
    private let probabilities: ContiguousArray<UInt8>

    /// - Parameter position: the position in coding order.
    init(_ position: Int, type: Int, _ probabilities: ContiguousArray<UInt8>) {
      let next = min(position + 1, 15)
      isLast = position == 15
      record = UInt32(zigzag[position]) << 25
      nextRecord = UInt32(zigzag[next]) << 25
      index = coefficientProbabilityIndex(type: type, position: position, context: 0)
      nextIndex = coefficientProbabilityIndex(type: type, position: next, context: 0)
      self.probabilities = probabilities
    }

    /// Fills the nodes of this position, except for its first states.
    ///
    /// - Parameters:
    ///   - table: the index of the table's first node.
    ///   - end: the record of the state that follows the block.
    func fill(_ nodes: inout ContiguousArray<UInt64>, at table: Int, end: UInt32) {
      var nodes = nodes.mutableSpan
      let base = table &+ Int(record >> 19)
      /// The state at the next position, or `end` after the last.
      func next(_ context: Int, _ node: Int) -> UInt32 {
        isLast
          ? end : Self.state(nextRecord, Self.kind(context, node), probabilities[nextIndex &+ context &* 11 &+ node])
      }
      func state(_ kind: Int, _ probability: UInt8) -> UInt32 { Self.state(record, kind, probability) }
      func sign(_ magnitude: Int) -> UInt32 { state(35 &+ magnitude, 128) }
      func category(_ number: Int) -> UInt32 { state(57 &+ number, 128) | UInt32(TokenStateTable.large) }

      let afterZero = next(0, 1)  // a block cannot end after a 0
      for c in 0..<3 {
        nodes.set(Self.kind(c, 0), at: base, zero: end, one: tree(c, 1))
        nodes.set(Self.kind(c, 1), at: base, zero: afterZero, one: tree(c, 2))
        nodes.set(Self.kind(c, 2), at: base, zero: sign(1), one: tree(c, 3))
        nodes.set(Self.kind(c, 3), at: base, zero: tree(c, 4), one: tree(c, 6))
        nodes.set(Self.kind(c, 4), at: base, zero: sign(2), one: tree(c, 5))
        nodes.set(Self.kind(c, 5), at: base, zero: sign(3), one: sign(4))
        nodes.set(Self.kind(c, 6), at: base, zero: tree(c, 7), one: tree(c, 8))
        // The probabilities of extra bits, here and below: see `ExtraBits`.
        nodes.set(Self.kind(c, 7), at: base, zero: state(46, 159), one: state(47, 165))
        nodes.set(Self.kind(c, 8), at: base, zero: tree(c, 9), one: tree(c, 10))
        nodes.set(Self.kind(c, 9), at: base, zero: category(3), one: category(4))
        nodes.set(Self.kind(c, 10), at: base, zero: category(5), one: category(6))
      }
      let (afterOne, afterMore) = (next(1, 0), next(2, 0))
      for magnitude in 1...10 as ClosedRange<UInt32> {
        let after = magnitude == 1 ? afterOne : afterMore
        nodes.set(35 &+ Int(magnitude), at: base, zero: after | magnitude << 8, one: after | (256 &- magnitude) << 8)
      }
      nodes.set(46, at: base, zero: sign(5), one: sign(6))
      nodes.set(47, at: base, zero: state(48, 145), one: state(49, 145))
      nodes.set(48, at: base, zero: sign(7), one: sign(8))
      nodes.set(49, at: base, zero: sign(9), one: sign(10))
      for kind in 60...63 { nodes.set(kind, at: base, zero: afterMore, one: 0) }
    }

    /// The first state of a block that begins at this position.
    func first(_ context: Int) -> UInt32 {
      UInt32(TokenStateTable.first) | Self.state(record, context, probabilities[index &+ context &* 11])
    }

    /// The index of the node of a first state, counted from the first node of a table. It is after the table.
    func firstIndex(_ context: Int) -> Int { nodesPerTable + Int(record >> 19) + context }

    @inline(__always)
    func tree(_ context: Int, _ node: Int) -> UInt32 {
      Self.state(record, Self.kind(context, node), probabilities[index &+ context &* 11 &+ node])
    }

    static func kind(_ context: Int, _ node: Int) -> Int { 3 &+ context &* 11 &+ node }

    private static func state(_ record: UInt32, _ kind: Int, _ probability: UInt8) -> UInt32 {
      record &+ UInt32(truncatingIfNeeded: kind) &<< 19 | UInt32(probability)
    }
  }
}

extension MutableSpan<UInt64> {
  /// Stores the node of a kind in the 64 nodes at `base`.
  @inline(__always)
  fileprivate mutating func set(_ kind: Int, at base: Int, zero: UInt32, one: UInt32) {
    self[base &+ kind] = UInt64(one) << 32 | UInt64(zero)
  }
}
