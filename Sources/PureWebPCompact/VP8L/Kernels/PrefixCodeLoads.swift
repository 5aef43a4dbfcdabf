// This file implements the lookup of prefix codes. PrefixCodes.swift describes their tables.

/// A prefix code. Its table has been checked to be in bounds, of a memory that may grow, but never shrinks: so the look-ups
/// need not be.
struct PrefixCode {
  static let longest = 15
  /// The maximum index width of a root table.
  static let rootBits = 10

  private let table: Int
  private let mask: UInt32

  @inline(__always)
  init(_ table: Int, _ memory: borrowing MutableSpan<UInt32>) {
    mask = memory[table]
    precondition(table <= memory.count &- 17 && Int(mask) <= memory.count &- 17 &- table)
    self.table = table
  }

  var hasBits: Bool { mask > 0 }

  /// The layout of an entry. Bit 6 marks an entry that is set, and is ignored by shifts.
  static func entry(_ symbol: UInt32, length: Int) -> UInt32 { symbol &<< 7 | 64 | UInt32(truncatingIfNeeded: length) }

  /// The `entry` for the next bits.
  @inline(__always)
  func find(_ bits: UInt64, _ memory: inout MutableSpan<UInt32>) -> UInt32 {
    let bits = UInt32(truncatingIfNeeded: bits)
    let place = table &+ 16 &+ Int(bits & mask)
    let noted = unsafe memory[unchecked: place]
    if noted != 0 { return noted }
    let found = Self.walk(table, bits, memory)
    if 1 &<< (found & 15) &- 1 <= mask { unsafe memory[unchecked: place] = found }
    return found
  }

  @inline(never)
  private static func walk(_ table: Int, _ nextBits: UInt32, _ memory: borrowing MutableSpan<UInt32>) -> UInt32 {
    var bits = nextBits
    var code = 0
    // The first code of the length, and where its symbol is.
    var first = 0
    var symbols = table &+ 17 &+ Int(memory[table])
    for length in 1...longest {
      code = code &<< 1 | Int(bits & 1)
      bits &>>= 1
      let count = Int(memory[table &+ length])
      if code &- first < count {
        return entry(memory[symbols &+ code &- first], length: length)
      }
      symbols &+= count
      first = (first &+ count) &<< 1
    }
    return 0  // cannot be: the lengths make a code
  }
}
