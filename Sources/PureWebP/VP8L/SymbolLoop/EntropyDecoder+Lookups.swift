// The lookups of symbols, which all loops share. A symbol takes one lookup, or two if its code is long.

internal import WebPFormat

extension EntropyDecoder {
  /// An error in a copy, and the reader after it.
  struct BackwardReferenceError: Error {
    let cause: ErrorCause
    let reader: BitReader
  }

  /// Reads the rest of a backward reference after its length symbol: extra bits and distance. `decoded` of `count`
  /// pixels precede it.
  @inline(__always)
  static func readCopy(
    _ symbol: Int, after decoded: Int, of count: Int, width: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (length: Int, distance: Int) {
    reader.refill(from: bytes)
    let length = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.literalSymbols, &reader)
    let prefix = readSymbol(at: group.distance, tables, &reader)
    let code = BackwardReference.value(prefix: prefix, &reader)
    let distance = BackwardReference.distance(code: code, width: width)
    guard distance <= decoded else { throw BackwardReferenceError(cause: .copyBeforeImage, reader: reader) }
    guard length <= count &- decoded else { throw BackwardReferenceError(cause: .copyBeyondImage, reader: reader) }
    return (length, distance)
  }

  /// Reads red and blue with separate lookups, because `entry` of their common table does not store both. The reader is
  /// passed by value so that it stays in registers.
  @inline(never)
  static func longRedBlue(
    _ entry: PrefixCodeEntry, _ red: Int, _ blue: Int, _ tables: Span<PrefixCodeEntry>, _ state: BitReader,
    _ bytes: Span<UInt8>
  ) -> (UInt32, BitReader) {
    var reader = state
    reader.refill(from: bytes)
    let colors: UInt32
    if entry.word & PrefixCodeEntry.onlyRed != 0 {
      reader.drop(entry.word)
      colors = entry.word &>> 8 & 0xFF
    } else {
      colors = UInt32(truncatingIfNeeded: readSymbol(at: red, tables, &reader))
    }
    let blue = readSymbol(at: blue, tables, &reader)
    return (colors | UInt32(truncatingIfNeeded: blue) &<< 16, reader)
  }

  /// Reads the next symbol with the table that starts at `table`. Takes at most 15 bits.
  @inline(__always)
  static func readSymbol(at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader) -> Int {
    readSymbol(tables[table &+ reader.peek(UInt64(PrefixCodeGroup.fixedRootBits))], at: table, tables, &reader)
  }

  /// The number of bits of the next pixel or backward reference.
  func nextSymbolBits(_ bytes: Span<UInt8>) -> Int {
    let tables = codes.tables.span
    let group = codes.group(x: position.x, y: position.y)
    if group.form == .constant { return 0 }
    var reader = BitReader(atBit: position.bit, of: bytes)
    let entry = tables[group.green &+ reader.index(group.mask)]
    if entry.isNotLiteral, entry.completesPixel { return entry.firstLength }
    var symbol = 0
    if entry.isNotLiteral {
      symbol = Self.readSymbol(entry, at: group.green, tables, &reader)
    } else {
      reader.drop(entry.word)
    }
    if symbol < PrefixCodeGroup.literalSymbols {
      _ = Self.readSymbol(at: group.red, tables, &reader)
      _ = Self.readSymbol(at: group.blue, tables, &reader)
      reader.refill(from: bytes)
      _ = Self.readSymbol(at: group.alpha, tables, &reader)
    } else if symbol < PrefixCodeGroup.greenSymbols {
      _ = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.literalSymbols, &reader)
      let prefix = Self.readSymbol(at: group.distance, tables, &reader)
      reader.refill(from: bytes)
      _ = BackwardReference.value(prefix: prefix, &reader)
    }
    return reader.bit &- position.bit
  }

  /// Reads the symbol of a root table's entry, or of the second-level table to which the entry points.
  @inline(__always)
  static func readSymbol(
    _ entry: PrefixCodeEntry, at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader
  ) -> Int {
    reader.drop(entry.word)
    if entry.moreBits == 0 { return entry.symbol }
    let last = tables[table &+ entry.offset &+ reader.peek(entry.moreBits)]
    reader.drop(last.word)
    return last.symbol
  }
}

extension BackwardReference {
  /// Reads the extra bits after a prefix symbol, and returns the number that both represent, at least 1.
  @inline(__always)
  static func value(prefix: Int, _ reader: inout BitReader) -> Int {
    value(prefix: prefix) { extraBits in reader.take(extraBits) }
  }
}
