// The tree that coefficients are coded with (RFC 6386, section 13), as a state machine.
//
// The tree is unrolled over the 16 positions of a block and the 3 contexts, so that a state knows everything that the
// next bool depends on. A *record* describes a state, and how it was come by:
//
//   31       27  26 25      16 15    8 7           0
//   ├─ level ──┤stop├── id ──┤  zero ├ probability ┤
//
// `id` is the index of the state's *node*: the record of the state after a 0 in its low half and of that after a 1 in
// its high half. `level`, a number with a sign, is the coefficient that the last bool completed, mostly 0: none. A
// record with `stop` leaves the machine: a block has ended, or the coefficient is too large for a state of its own.
//
//   node ids         kind · 16 + place, where place is the coefficient's raster position in the block
//   kind  0 … 35     context · 12 + node of coeff_tree (0 … 10)
//        36 … 45     the sign of a coefficient of magnitude kind − 35
//        46 … 49     the extra bits of dct_cat1 and dct_cat2
//        50 … 53     dct_cat3 … dct_cat6: stop; the node has the states after the coefficient
//   54 · 16 + n      stop: the block ended, with length n
//   from `starts`    by context: a block's first state, and the one after its first bool

/// The state machine for one of the four types of block, with a frame's probabilities.
struct TokenTree {
  static let stop: UInt32 = 1 << 26
  static let end = 54 * 16
  static let starts = 54 * 16 + 17
  /// A power of two, so that a 10-bit id needs no check.
  static let nodeCount = 1024

  private static let large = 50 * 16

  let nodes: ContiguousArray<UInt64>

  /// - Parameters:
  ///   - type: 0 luma without its DC, 1 Y2, 2 chroma, 3 luma with its DC (section 13.3).
  ///   - probabilities: of the frame, see `coefficientProbabilityIndex`.
  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    var nodes = ContiguousArray<UInt64>(repeating: 0, count: Self.nodeCount)
    for position in 0..<16 {
      Position(position, type: type, probabilities).fill(&nodes)
    }
    let first = firstPosition(type: type)
    let states = Position(first, type: type, probabilities)
    for context in 0..<3 { nodes[Self.starts + context] = states.start(context) }
    self.nodes = nodes
  }

  /// The states at one position of a block.
  private struct Position {
    let position: Int
    let place: Int
    /// The place of the next position, and where the probabilities of this position and of the next one are.
    let nextPlace: Int
    let index: Int
    let nextIndex: Int
    let probabilities: ContiguousArray<UInt8>

    init(_ position: Int, type: Int, _ probabilities: ContiguousArray<UInt8>) {
      let next = min(position + 1, 15)
      self.position = position
      self.probabilities = probabilities
      place = Int(zigzag[position])
      nextPlace = Int(zigzag[next])
      index = coefficientProbabilityIndex(type: type, band: Int(coefficientBands[position]), context: 0)
      nextIndex = coefficientProbabilityIndex(type: type, band: Int(coefficientBands[next]), context: 0)
    }

    func fill(_ nodes: inout ContiguousArray<UInt64>) {
      func set(_ kind: Int, zero: UInt32, one: UInt32) { nodes[kind * 16 + place] = UInt64(one) << 32 | UInt64(zero) }
      for c in 0..<3 {
        let kind = c * 12
        set(kind, zero: stopped(TokenTree.end + position), one: tree(c, 1))
        set(kind + 1, zero: next(0, 1), one: tree(c, 2))  // after a 0 no end of block can follow
        set(kind + 2, zero: sign(1), one: tree(c, 3))
        set(kind + 3, zero: tree(c, 4), one: tree(c, 6))
        set(kind + 4, zero: sign(2), one: tree(c, 5))
        set(kind + 5, zero: sign(3), one: sign(4))
        set(kind + 6, zero: tree(c, 7), one: tree(c, 8))
        set(kind + 7, zero: record(46, 159), one: record(47, 165))
        set(kind + 8, zero: tree(c, 9), one: tree(c, 10))
        set(kind + 9, zero: category(3), one: category(4))
        set(kind + 10, zero: category(5), one: category(6))
      }
      for magnitude in 1...10 {
        let after = next(magnitude == 1 ? 1 : 2, 0)
        let level = UInt32(magnitude) << 27
        set(35 + magnitude, zero: after | level, one: after | 0 &- level)
      }
      set(46, zero: sign(5), one: sign(6))
      set(47, zero: record(48, 145), one: record(49, 145))
      set(48, zero: sign(7), one: sign(8))
      set(49, zero: sign(9), one: sign(10))
      for kind in 50...53 { set(kind, zero: next(2, 0), one: next(2, 0)) }
    }

    /// What is at `starts`.
    func start(_ context: Int) -> UInt64 { UInt64(tree(context, 1)) << 32 | UInt64(tree(context, 0)) }

    private func record(_ kind: Int, _ probability: UInt8) -> UInt32 {
      UInt32(kind * 16 + place) << 16 | UInt32(probability)
    }
    private func sign(_ magnitude: Int) -> UInt32 { record(35 + magnitude, 128) }
    private func stopped(_ id: Int) -> UInt32 { UInt32(id) << 16 | TokenTree.stop | 128 }
    private func category(_ number: Int) -> UInt32 { stopped(TokenTree.large + (number - 3) * 16 + place) }
    private func tree(_ context: Int, _ node: Int) -> UInt32 {
      record(context * 12 + node, probabilities[index + context * 11 + node])
    }
    /// The state at the next position, or the end after the last.
    private func next(_ context: Int, _ node: Int) -> UInt32 {
      if position == 15 { return stopped(TokenTree.end + 16) }
      let probability = probabilities[nextIndex + context * 11 + node]
      return UInt32((context * 12 + node) * 16 + nextPlace) << 16 | UInt32(probability)
    }
  }
}

/// Where a block's coefficients start: with the second where the DC comes from the Y2 block.
@inline(__always)
func firstPosition(type: Int) -> Int { type == 0 ? 1 : 0 }

/// Section 13: from coding position to raster position in the block.
let zigzag: [UInt8] = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]

/// Section 13.3: from coding position to band.
let coefficientBands: [UInt8] = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]
