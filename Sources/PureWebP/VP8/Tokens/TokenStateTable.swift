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

  /// The index of a node, counted from the first node of its table. Nodes of first states are after the table.
  private static func index(_ kind: Int, _ rasterPosition: Int) -> Int {
    rasterPosition * 64 + kind + (kind < 3 ? nodesPerTable : 0)
  }

  /// The index of the table for a block that is the last of its row, if the next row begins in context 2.
  static let rowBegins = 2 * nodesPerTable

  private static func record(_ kind: Int, _ rasterPosition: Int, _ probability: UInt8) -> UInt32 {
    UInt32(index(kind, rasterPosition)) << 19 | UInt32(probability)
  }

  private static let afterEmpty = [1, 0, 2, 1, 0]
  private static let afterCoded = [2, 1, 2, 1, 0]

  let nodes: ContiguousArray<UInt64>

  /// - Parameters:
  ///   - type: 0 luma without its DC, 1 Y2, 2 chroma, 3 luma with its DC (section 13.3). The block after a Y2 block has
  ///     another type, so Y2 needs only one table.
  ///   - probabilities: see `coefficientProbabilityIndex`.
  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    let start = Position(firstPosition(type: type), type: type, probabilities)
    var table = ContiguousArray<UInt64>(repeating: 0, count: Self.nodeCount(tables: 1))
    for context in 0..<3 {
      table[Self.firstRecords + context] = UInt64(start.first(context))
      table[Self.index(context, start.rasterPosition)] =
        UInt64(start.tree(context, 1)) << 32 | UInt64(start.first(Self.afterEmpty[0]))
    }
    for position in 0..<16 {
      Position(position, type: type, probabilities).fill(&table, start.first(Self.afterCoded[0]))
    }
    nodes = type == 1 ? table : Self.tables(table, start)
  }

  /// The five tables. `table` is the first of them.
  private static func tables(_ table: ContiguousArray<UInt64>, _ start: Position) -> ContiguousArray<UInt64> {
    var nodes = ContiguousArray<UInt64>()
    nodes.reserveCapacity(nodeCount(tables: 5))
    for _ in 0..<5 { nodes.append(contentsOf: table.prefix(nodesPerTable)) }
    nodes.append(contentsOf: table.suffix(firstNodeCount))
    for number in 0..<5 {
      let afterEmpty = UInt64(start.first(Self.afterEmpty[number]))
      let afterCoded = UInt64(start.first(Self.afterCoded[number]))
      /// Replaces the records of a node that end a block with `next`, except for their levels.
      func connect(_ kind: Int, _ rasterPosition: Int, to next: UInt64) {
        let index = Self.index(kind, rasterPosition)
        let node = table[index]
        func connected(_ record: UInt64) -> UInt64 { record & first == 0 ? record : record & 0xFF00 | next }
        nodes[number * nodesPerTable + index] = connected(node >> 32) << 32 | connected(node & low)
      }
      for context in 0..<3 {
        connect(context, start.rasterPosition, to: afterEmpty)
        for rasterPosition in 0..<15 { connect(3 + context * 11, rasterPosition, to: afterCoded) }
      }
      // At position 15 every coefficient ends the block.
      for kind in 3..<64 { connect(kind, 15, to: afterCoded) }
    }
    return nodes
  }

  /// The states at one position of a block.
  private struct Position {
    /// The position in coding order.
    let position: Int
    let rasterPosition: Int
    /// The raster position of the next position, and the indexes of the probabilities of both positions.
    let nextRasterPosition: Int
    let index: Int
    let nextIndex: Int
    let probabilities: ContiguousArray<UInt8>

    init(_ position: Int, type: Int, _ probabilities: ContiguousArray<UInt8>) {
      let next = min(position + 1, 15)
      self.position = position
      self.probabilities = probabilities
      rasterPosition = Int(zigzag[position])
      nextRasterPosition = Int(zigzag[next])
      index = coefficientProbabilityIndex(type: type, position: position, context: 0)
      nextIndex = coefficientProbabilityIndex(type: type, position: next, context: 0)
    }

    /// Fills the nodes of this position.
    ///
    /// - Parameter end: the record of the state that follows the block.
    func fill(_ nodes: inout ContiguousArray<UInt64>, _ end: UInt32) {
      func set(_ kind: Int, zero: UInt32, one: UInt32) {
        nodes[TokenStateTable.index(kind, rasterPosition)] = UInt64(one) << 32 | UInt64(zero)
      }
      for c in 0..<3 {
        set(kind(c, 0), zero: end, one: tree(c, 1))
        set(kind(c, 1), zero: next(0, 1, end), one: tree(c, 2))  // a block cannot end after a 0
        set(kind(c, 2), zero: sign(1), one: tree(c, 3))
        set(kind(c, 3), zero: tree(c, 4), one: tree(c, 6))
        set(kind(c, 4), zero: sign(2), one: tree(c, 5))
        set(kind(c, 5), zero: sign(3), one: sign(4))
        set(kind(c, 6), zero: tree(c, 7), one: tree(c, 8))
        // The probabilities of extra bits, here and below: see `ExtraBits`.
        set(kind(c, 7), zero: record(46, 159), one: record(47, 165))
        set(kind(c, 8), zero: tree(c, 9), one: tree(c, 10))
        set(kind(c, 9), zero: category(3), one: category(4))
        set(kind(c, 10), zero: category(5), one: category(6))
      }
      for magnitude in 1...10 {
        let after = next(magnitude == 1 ? 1 : 2, 0, end)
        set(35 + magnitude, zero: after | UInt32(magnitude) << 8, one: after | UInt32(256 - magnitude) << 8)
      }
      set(46, zero: sign(5), one: sign(6))
      set(47, zero: record(48, 145), one: record(49, 145))
      set(48, zero: sign(7), one: sign(8))
      set(49, zero: sign(9), one: sign(10))
      for kind in 60...63 { set(kind, zero: next(2, 0, end), one: 0) }
    }

    /// The first state of a block that begins at this position.
    func first(_ context: Int) -> UInt32 {
      record(context, probabilities[index + context * 11])
    }

    func tree(_ context: Int, _ node: Int) -> UInt32 {
      record(kind(context, node), probabilities[index + context * 11 + node])
    }

    /// The state at the next position, or `end` after the last.
    private func next(_ context: Int, _ node: Int, _ end: UInt32) -> UInt32 {
      if position == 15 { return end }
      let probability = probabilities[nextIndex + context * 11 + node]
      return TokenStateTable.record(kind(context, node), nextRasterPosition, probability)
    }

    private func kind(_ context: Int, _ node: Int) -> Int { 3 + context * 11 + node }
    private func record(_ kind: Int, _ probability: UInt8) -> UInt32 {
      TokenStateTable.record(kind, rasterPosition, probability)
    }
    private func sign(_ magnitude: Int) -> UInt32 { record(35 + magnitude, 128) }
    private func category(_ number: Int) -> UInt32 { record(57 + number, 128) | UInt32(TokenStateTable.large) }
  }
}

// The decoding of coefficients (RFC 6386, section 13) by the state machine that `TokenStateTable` describes. The loop
// over tokens is in Kernels/TokenLoop.swift.

/// Decodes the coefficients of one token partition with a state machine.
struct TokenStateMachine: CoefficientDecoder {
  var bools: LazyBoolDecoder

  /// - Parameter bytes: the beginning of the partition: at least one byte.
  init(_ bytes: Span<UInt8>) {
    bools = LazyBoolDecoder(bytes)
  }

  var position: Int {
    get { bools.position }
    set { bools.position = newValue }
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { bools.isExhausted(bytes) }

  /// Decodes the extra bits and the sign of a coefficient of dct_cat3 to dct_cat6 (section 13.2).
  ///
  /// - Parameter category: 0 for dct_cat3, 1 for dct_cat4, 2 for dct_cat5, 3 for dct_cat6.
  @inline(never)
  static func decodeLarge(
    _ bools: LazyBoolDecoder, _ bytes: Span<UInt8>, category: Int
  ) -> (LazyBoolDecoder, Int) {
    var bools = bools
    var probabilities: UInt64
    var bits = 0
    switch category {
    case 0: probabilities = ExtraBits.category3
    case 1: probabilities = ExtraBits.category4
    case 2: probabilities = ExtraBits.category5
    default:
      probabilities = ExtraBits.category6
      for probability in ExtraBits.firstOfCategory6 {
        bits = bits << 1 | bools.mask(probability, if: -1, bytes) & 1
      }
    }
    repeat {
      bits = bits << 1 | bools.mask(UInt8(truncatingIfNeeded: probabilities), if: -1, bytes) & 1
      probabilities >>= 8
    } while probabilities != 0
    let sign = bools.mask(128, if: -1, bytes)
    let magnitude = bits &+ 3 &+ 8 &<< category
    return (bools, (magnitude ^ sign) &- sign)
  }
}
