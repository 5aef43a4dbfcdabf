// The symbols of deflate (RFC 1951, section 3.2.5), and how many bits they take.

internal import WebPFormat

/// A repetition of earlier bytes, and the literals that precede it.
struct Repetition: BitwiseCopyable {
  /// The literals since the repetition before this one.
  let literals: Int32
  /// 3 ... 258
  let length: UInt16
  /// 1 ... 32768
  let distance: UInt16
}

/// A symbol, and the bits that follow its code.
struct DeflateSymbol {
  private(set) var index: Int
  private(set) var extraBits: Int
  private(set) var extra: Int

  /// - Parameter groupBits: the logarithm of the number of symbols that share a number of extra bits.
  @inline(__always)
  private init(_ number: Int, first: Int, groupBits: Int) {
    extraBits = max(0, 63 &- groupBits &- UInt64(number | 1).leadingZeroBitCount)
    index = first &+ extraBits &<< groupBits &+ number &>> extraBits
    extra = number & (1 &<< extraBits &- 1)
  }

  /// The symbol for a length of 3 ... 258.
  @inline(__always)
  init(length: Int) {
    self.init(length &- 3, first: 257, groupBits: 2)
    if length == 258 { (index, extraBits, extra) = (285, 0, 0) }
  }

  /// The symbol for a distance of 1 ... 32768.
  @inline(__always)
  init(distance: Int) { self.init(distance &- 1, first: 0, groupBits: 1) }
}

/// How often each symbol occurs.
struct SymbolCounts {
  /// Literals, the end of the block and lengths.
  static let literalsAndLengths = 0..<286
  static let distances = 288..<318

  /// Literals and lengths from 0 on, distances from 288 on.
  var counts = ContiguousArray<UInt32>(filledWith: 0, count: 318)
  /// The sum of the extra bits of all symbols.
  var extraBits = 0

  mutating func add(_ other: Self) {
    for index in counts.indices { counts[index] += other.counts[index] }
    extraBits += other.extraBits
  }

  func total(_ symbols: Range<Int>) -> Int { symbols.reduce(0) { $0 + Int(counts[$1]) } }

  /// The number of bits that the symbols take in ideal codes, with their extra bits, in units of 1/1024 bit.
  var cost: Int {
    [Self.literalsAndLengths, Self.distances].reduce(extraBits << 10) { cost, symbols in
      let total = total(symbols)
      return symbols.reduce(cost + total * logarithm(total)) {
        $0 &- Int(counts[$1]) &* logarithm(Int(counts[$1]))
      }
    }
  }
}

/// The bits of the code of each symbol, in units of 1/8 bit, to compare repetitions with literals.
struct SymbolCosts {
  let literals: ContiguousArray<UInt16>
  /// By length, with the extra bits. Lengths below 3 are too expensive.
  let lengths: ContiguousArray<UInt16>
  let distances: ContiguousArray<UInt16>

  /// Lengths and distances are rarer in the counts than in the result. So their costs have upper limits, and distances
  /// a fixed cost if too few are known.
  init(_ symbols: SymbolCounts) {
    func costs(_ part: Range<Int>, of all: Range<Int>, atMost limit: Int) -> ContiguousArray<UInt16> {
      let total = logarithm(symbols.total(all))
      return ContiguousArray(
        part.map { UInt16(min(limit, max(4, (total - logarithm(Int(symbols.counts[$0]))) >> 7))) })
    }
    let (all, distances) = (SymbolCounts.literalsAndLengths, SymbolCounts.distances)
    literals = costs(0..<256, of: all, atMost: 96)
    let codes = costs(257..<286, of: all, atMost: 48)
    lengths = ContiguousArray(
      (0...258).map { length in
        let symbol = DeflateSymbol(length: max(3, length))
        return length < 3 ? 1 << 14 : codes[symbol.index - 257] + UInt16(8 * symbol.extraBits)
      })
    let areFew = symbols.total(distances) < 50
    self.distances =
      areFew ? .init(repeating: 32, count: 30) : costs(distances, of: distances, atMost: 48)
  }
}

/// The binary logarithm, in units of 1/1024; 0 for 0. Between powers of two it is a parabola, with an error below 0.01.
func logarithm(_ number: Int) -> Int {
  let exponent = 63 &- UInt64(number | 1).leadingZeroBitCount
  let fraction = ((number &<< 10) &>> exponent) & 1023
  return exponent &<< 10 &+ fraction &+ (fraction &* (1024 &- fraction) &* 354) &>> 20
}
