internal import WebPFormat

/// The code lengths of the symbols that occur, in the order of the alphabet.
struct PrefixCodeLengths {
  static let longest = 15

  /// For each symbol that occurs: symbol · 16 + length.
  private(set) var used: ContiguousArray<UInt16>
  private(set) var usedCount = 0
  /// The number of codes of each length.
  private(set) var counts = ContiguousArray<Int>(repeating: 0, count: longest + 1)

  /// - Parameter symbolCount: the size of the largest alphabet, at most 4096.
  init(symbolCount: Int) {
    precondition(symbolCount <= 1 << 12)
    used = ContiguousArray(repeating: 0, count: symbolCount)
  }

  /// The symbol, if there is only one.
  var single: Int? { usedCount == 1 ? Int(used[0] >> 4) : nil }

  /// The largest symbol. At least one must have been appended.
  var largestSymbol: Int { Int(used[usedCount - 1] >> 4) }

  mutating func removeAll() {
    usedCount = 0
    for length in counts.indices { counts[length] = 0 }
  }

  /// Appends a symbol with a code of `length` bits, 1 to 15. It must be larger than the symbols before it.
  @inline(__always)
  mutating func append(_ symbol: Int, length: Int) {
    used[usedCount] = UInt16(truncatingIfNeeded: symbol &<< 4 | length)
    usedCount &+= 1
    counts[length] &+= 1
  }

  /// Checks that the lengths form a complete code.
  ///
  /// - Returns: the length of the longest code, or 0 if there is only one symbol, which takes no bits.
  func checkedLongest() throws(LosslessFormatError) -> Int {
    guard usedCount != 1 else { return 0 }
    guard usedCount > 0 else { throw LosslessFormatError(.emptyPrefixCode) }
    var longest = 0
    var space = 1 << Self.longest
    for length in 1...Self.longest where counts[length] > 0 {
      space -= counts[length] << (Self.longest - length)
      longest = length
    }
    guard space == 0 else { throw LosslessFormatError(.invalidPrefixCode) }
    return longest
  }
}
