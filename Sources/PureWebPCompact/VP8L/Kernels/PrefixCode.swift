// The lookup of prefix codes (RFC 9649, section 3.7). PrefixCodeReader.swift describes their tables.
//
// Unsafe code: A precondition checks that the root of a code is within the memory, which never shrinks.
// Plain formula: `PlainLosslessStream` in Tests/TestSupport/LosslessStream.swift.

internal import WebPFormat

/// A prefix code. `init` checks that its table is in bounds. Lookups need no checks, because the memory never shrinks.
struct PrefixCode {
  static let longest = 15
  /// The maximum index width of a root table. With nine bits, the tables of a group fit in the first-level cache.
  static let rootBits = 9

  private let table: Int
  private let mask: UInt32

  @inline(__always)
  init(_ table: Int, _ memory: borrowing MutableSpan<UInt32>) {
    mask = memory[table]
    precondition(table <= memory.count &- 17 && Int(mask) <= memory.count &- 17 &- table)
    self.table = table
  }

  var hasBits: Bool { mask > 0 }

  /// The entry of a symbol. Bit 6 distinguishes it from 0, which means that no entry is stored.
  static func entry(_ symbol: UInt32, length: Int) -> UInt32 { symbol &<< 7 | 64 | UInt32(truncatingIfNeeded: length) }

  /// The `entry` for the next bits.
  @inline(__always)
  func find(_ bits: UInt64, _ memory: inout MutableSpan<UInt32>) -> UInt32 {
    let bits = UInt32(truncatingIfNeeded: bits)
    let index = table &+ 16 &+ Int(bits & mask)
    let stored = unsafe memory[unchecked: index]
    if stored != 0 { return stored }
    return Self.decodeBitByBit(table, bits, &memory)
  }

  /// Decodes a code word bit by bit, and stores its entry at all root indices whose low bits are the code word.
  @inline(never)
  private static func decodeBitByBit(_ table: Int, _ nextBits: UInt32, _ memory: inout MutableSpan<UInt32>) -> UInt32 {
    var bits = nextBits
    var code = 0
    // The first code word of the current length, and the index of its symbol.
    var first = 0
    var symbols = table &+ 17 &+ Int(memory[table])
    for length in 1...longest {
      code = code &<< 1 | Int(bits & 1)
      bits &>>= 1
      let count = Int(memory[table &+ length])
      if code &- first < count {
        let found = entry(memory[symbols &+ code &- first], length: length)
        let (step, rootSize) = (1 &<< length, 1 &+ Int(memory[table]))
        if step <= rootSize {
          var index = Int(truncatingIfNeeded: nextBits) & (step &- 1)
          while index < rootSize {
            memory[table &+ 16 &+ index] = found
            index &+= step
          }
        }
        return found
      }
      symbols &+= count
      first = (first &+ count) &<< 1
    }
    return 0  // not reached, because the lengths form a complete code
  }
}
