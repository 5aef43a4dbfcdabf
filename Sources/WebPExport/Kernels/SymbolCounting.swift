// Counts the symbols of a block. Four tables are counted in turn, because consecutive bytes are often equal, and a
// count would wait for the one before it.
//
// Unsafe code: Literals are from `CheckedRows`. The tables have four entries for each byte value.
// Plain formula: `blocksCanBeInflated` in Tests/WebPExportTests/BlockDeflaterTests.swift, which decodes with zlib.

internal import WebPFormat

extension SymbolCounts {
  /// Counts the symbols of a range with repetitions. Without them, all bytes are literals.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, _ repetitions: Span<Repetition> = Span()) {
    self.init()
    var tables = ContiguousArray<UInt32>(filledWith: 0, count: 4 * 256)
    var position = range.lowerBound
    unsafe tables.withUnsafeMutableBufferPointer { tables in
      func countLiterals(_ count: Int) {
        guard count > 0 else { return }
        unsafe Self.count(bytes.row(at: position, count: count), count, in: tables.baseAddress.unsafelyUnwrapped)
        position += count
      }
      for index in 0..<repetitions.count {
        countLiterals(Int(repetitions[index].literals))
        position += Int(repetitions[index].length)
        count(repetitions[index])
      }
      countLiterals(range.upperBound - position)
    }
    let all = tables.span
    var literals = counts.mutableSpan
    for byte in 0..<256 {
      literals[byte] = all[byte] &+ all[byte &+ 256] &+ all[byte &+ 512] &+ all[byte &+ 768]
    }
  }

  /// Replaces the literals that runs repeat.
  mutating func replaceLiterals(of bytes: Span<UInt8>, _ range: Range<Int>, by runs: Span<Repetition>) {
    var position = range.lowerBound
    for index in 0..<runs.count {
      position += Int(runs[index].literals)
      counts[Int(bytes[position])] -= UInt32(runs[index].length)
      position += Int(runs[index].length)
      count(runs[index])
    }
  }

  /// Adds a length and a distance.
  @inline(__always)
  private mutating func count(_ repetition: Repetition) {
    let length = DeflateSymbol(length: Int(repetition.length))
    let distance = DeflateSymbol(distance: Int(repetition.distance))
    counts[length.index] &+= 1
    counts[Self.distances.lowerBound + distance.index] &+= 1
    extraBits += length.extraBits + distance.extraBits
  }

  /// - Parameter tables: 1024 entries.
  private static func count(_ bytes: UnsafeRawPointer, _ count: Int, in tables: UnsafeMutablePointer<UInt32>) {
    var position = 0
    while position &+ 8 <= count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      for index in 0..<8 {
        unsafe tables[(index & 3) &<< 8 &+ Int(truncatingIfNeeded: word &>> UInt64(8 &* index) & 255)] &+= 1
      }
      position &+= 8
    }
    while position < count {
      unsafe tables[Int(bytes.byte(at: position))] &+= 1
      position &+= 1
    }
  }
}
