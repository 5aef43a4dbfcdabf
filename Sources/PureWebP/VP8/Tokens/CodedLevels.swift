// The coefficients of a row of macroblocks as they are coded: levels, not multiplied with their factors.
//
// Nearly all fit in a byte. The rest lie in a list of their own, so that a row takes half the memory: on several threads,
// three of them are on their way.

/// The levels of a row of macroblocks, which those of each lie in like this, every block in raster order:
///
///     0        16                  272      336      400
///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
///
/// Blocks whose code is `empty` are zeros. But where all of luma or all of chroma are empty, what lies there means nothing,
/// as it may be left from earlier. In macroblocks with a Y2 block the DC places of luma get their values from it,
/// dequantised, and codes do not count them.
struct CodedLevels {
  static let perMacroblock = 400
  /// Where the blocks of luma, of U and of V are in a macroblock.
  static let luma = 16
  static let u = 272
  static let v = 336

  /// The lowest eight bits of each level.
  var bytes: ContiguousArray<Int8>
  var large = LargeLevels()

  init(columns: Int) {
    bytes = .init(repeating: 0, count: columns * Self.perMacroblock)
  }
}

/// The levels of a row that are less than −128 or more than 127.
struct LargeLevels {
  struct Level {
    /// Counted from the row's first level.
    let place: Int32
    let level: Int16
  }

  /// In the order of their macroblocks.
  private(set) var levels: ContiguousArray<Level> = []

  /// Adds `level` if a byte does not hold it. Returns its lowest eight bits.
  @inline(__always)
  mutating func keep(_ level: Int, at place: Int) -> Int8 {
    let byte = Int8(truncatingIfNeeded: level)
    if Int(byte) != level { append(level, at: place) }
    return byte
  }

  @inline(never)
  private mutating func append(_ level: Int, at place: Int) {
    levels.append(Level(place: Int32(truncatingIfNeeded: place), level: Int16(truncatingIfNeeded: level)))
  }

  /// Removes those from `place` on.
  mutating func removeAll(from place: Int) {
    while let last = levels.last, last.place >= place { levels.removeLast() }
  }
}
