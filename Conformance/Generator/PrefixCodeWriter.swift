// Writes prefix codes (RFC 9649, section 3.7.2) in all forms, nearly all of them valid.

/// A prefix code that was written to the bitstream. It can write symbols.
struct WrittenCode {
  /// The symbols that have a code.
  let symbols: [Int]
  /// The code of each symbol: its bits in stream order, and their number.
  private var codes: [(bits: UInt16, count: UInt16)]

  /// - Parameter lengths: the code lengths. If there is only one symbol, its code has no bits.
  init(lengths: [(symbol: Int, length: Int)]) {
    symbols = lengths.map(\.symbol)
    codes = Array(repeating: (0, 0), count: (symbols.max() ?? 0) + 1)
    guard lengths.count > 1 else { return }
    var code = 0
    for length in 1...15 {
      for symbol in lengths where symbol.length == length {
        let bits = (0..<length).reduce(0) { $0 << 1 | code >> $1 & 1 }
        codes[symbol.symbol] = (UInt16(bits), UInt16(length))
        code += 1
      }
      code <<= 1
    }
  }

  /// Writes a symbol. If the prefix code is deliberately invalid and the symbol has no code, writes nothing.
  func put(_ symbol: Int, to out: inout BitWriter) {
    let (bits, count) = symbol < codes.count ? codes[symbol] : (0, 0)
    out.put(Int(bits), Int(count))
  }
}

extension Choices {
  /// Writes a prefix code for some symbols of the alphabet.
  mutating func writeCode(alphabet: Int, to out: inout BitWriter) -> WrittenCode {
    switch below(4) {
    case 0: return writeSimpleCode([below(min(alphabet, 256))], to: &out)
    case 1:
      let symbols = [below(min(alphabet, 256)), below(min(alphabet, 256))]
      return writeSimpleCode(symbols[0] == symbols[1] ? [symbols[0]] : symbols, to: &out)
    case 2:
      let count = within(2...min(alphabet, 12))
      return writeNormalCode(of: Set((0..<count).map { _ in below(alphabet) }).sorted(), alphabet, to: &out)
    default:
      let first = below(alphabet)
      let count = oneIn(4) ? alphabet - first : min(alphabet - first, within(1...40))
      return writeNormalCode(of: Array(first..<first + count), alphabet, to: &out)
    }
  }

  /// Writes a simple code (section 3.7.2.1.1) of one or two symbols, the first with 1 or 8 bits.
  mutating func writeSimpleCode(_ symbols: [Int], to out: inout BitWriter) -> WrittenCode {
    let isWide = symbols[0] > 1 || oneIn(4)
    out.put(1, 1)
    out.put(symbols.count - 1, 1)
    out.put(isWide ? 1 : 0, 1)
    out.put(symbols[0], isWide ? 8 : 1)
    if symbols.count == 2 { out.put(symbols[1], 8) }
    return WrittenCode(lengths: symbols.sorted().map { ($0, 1) })
  }

  /// Writes a normal code (section 3.7.2.1.2).
  mutating func writeNormalCode(of symbols: [Int], _ alphabet: Int, to out: inout BitWriter) -> WrittenCode {
    var lengths = [Int](repeating: 0, count: alphabet)
    for (symbol, length) in zip(symbols, codeLengths(symbols.count, limit: 15)) { lengths[symbol] = length }
    // A few codes are incomplete or over-subscribed, as in CVE-2023-4863.
    if oneIn(200) { lengths[below(alphabet)] = below(16) }
    let used = lengths.indices.filter { lengths[$0] > 0 }.map { (symbol: $0, length: lengths[$0]) }

    let endsEarly = oneIn(2)
    if endsEarly { lengths.removeLast(alphabet - 1 - (used.last?.symbol ?? 0)) }
    var tokens = tokens(for: lengths)
    // The format cannot encode fewer than two tokens.
    if endsEarly, tokens.count < 2 { tokens.append((0, 0, 0)) }
    let tokenSymbols = Set(tokens.map(\.symbol)).sorted()
    let tokenLengths = codeLengths(tokenSymbols.count, limit: 7)
    var ordered = [Int](repeating: 0, count: 19)
    for (symbol, length) in zip(tokenSymbols, tokenLengths) {
      ordered[Self.lengthOrder.firstIndex(of: symbol)!] = length
    }
    while ordered.count > 4, ordered.last == 0 { ordered.removeLast() }
    out.put(0, 1)
    out.put(ordered.count - 4, 4)
    for length in ordered { out.put(length, 3) }
    // The flag, and the number of tokens minus two.
    out.put(endsEarly ? 1 : 0, 1)
    if endsEarly {
      var bits = 2
      while (tokens.count - 2) >> bits != 0 { bits += 2 }
      out.put((bits - 2) / 2, 3)
      out.put(tokens.count - 2, bits)
    }
    let code = WrittenCode(lengths: Array(zip(tokenSymbols, tokenLengths)))
    for token in tokens {
      code.put(token.symbol, to: &out)
      out.put(token.extra, token.extraBits)
    }
    return WrittenCode(lengths: used.isEmpty ? [(0, 1)] : used)
  }

  /// The order in which the bitstream stores the lengths of the code length code.
  private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

  /// Returns the lengths of a complete code. The code is a tree in which leaves are split one by one, so that it
  /// becomes wide or deep.
  private mutating func codeLengths(_ count: Int, limit: Int) -> [Int] {
    guard count > 1 else { return [1] }
    var leaves = [0]
    let growsDeep = oneIn(2)
    while leaves.count < count {
      var leaf = growsDeep ? leaves.count - 1 : below(leaves.count)
      if leaves[leaf] == limit { leaf = leaves.indices.min { leaves[$0] < leaves[$1] }! }
      leaves[leaf] += 1
      leaves.append(leaves[leaf])
    }
    return oneIn(2) ? leaves : leaves.reversed()
  }

  private typealias Token = (symbol: Int, extra: Int, extraBits: Int)

  /// Returns the symbols of the code length code. Some of the runs of equal lengths are encoded as run lengths.
  private mutating func tokens(for lengths: [Int]) -> [Token] {
    var tokens: [Token] = []
    var at = 0
    var last = 8
    while at < lengths.count {
      let length = lengths[at]
      var run = lengths[at...].prefix { $0 == length }.count
      if length == 0, run >= 11, !oneIn(8) {
        run = min(run, 138)
        tokens.append((18, run - 11, 7))
      } else if length == 0, run >= 3, !oneIn(8) {
        run = min(run, 10)
        tokens.append((17, run - 3, 3))
      } else if length == last, run >= 3, !oneIn(8) {
        run = min(run, 6)
        tokens.append((16, run - 3, 2))
      } else {
        run = 1
        tokens.append((length, 0, 0))
        if length != 0 { last = length }
      }
      at += run
    }
    return tokens
  }
}
