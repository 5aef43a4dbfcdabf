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
        let repetition = repetitions[index]
        countLiterals(Int(repetition.literals))
        position += Int(repetition.length)
        let length = DeflateSymbol(length: Int(repetition.length))
        let distance = DeflateSymbol(distance: Int(repetition.distance))
        counts[length.index] &+= 1
        counts[Self.distances.lowerBound + distance.index] &+= 1
        extraBits += length.extraBits + distance.extraBits
      }
      countLiterals(range.upperBound - position)
    }
    let all = tables.span
    var literals = counts.mutableSpan
    for byte in 0..<256 {
      literals[byte] = all[byte] &+ all[byte &+ 256] &+ all[byte &+ 512] &+ all[byte &+ 768]
    }
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
