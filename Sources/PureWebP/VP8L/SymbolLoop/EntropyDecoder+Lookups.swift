// This file implements the lookups of symbols, which all loops share: one lookup, or two if a code is long.

extension EntropyDecoder {
  /// An error in a copy, and the reader after it.
  struct BackwardReferenceError: Error {
    let fault: LosslessFormatError
    let reader: BitReader
  }

  /// Reads the distance and extra bits of a copy after `decoded` of `count` pixels.
  @inline(__always)
  static func readCopy(
    _ symbol: Int, behind decoded: Int, of count: Int, width: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (length: Int, distance: Int) {
    reader.refill(from: bytes)
    let length = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.lengthSymbols, &reader)
    let prefix = readSymbol(at: group.distance, tables, &reader)
    let code = BackwardReference.value(prefix: prefix, &reader)
    let distance = BackwardReference.distance(code: code, width: width)
    guard distance <= decoded else {
      throw BackwardReferenceError(fault: LosslessFormatError(.copyBeforeImage), reader: reader)
    }
    guard length <= count &- decoded else {
      throw BackwardReferenceError(fault: LosslessFormatError(.copyBeyondImage), reader: reader)
    }
    return (length, distance)
  }

  /// Red and blue, if their common table has only a special entry. The reader is passed by value so that it stays in
  /// registers.
  @inline(never)
  static func longRedBlue(
    _ entry: PrefixCodeEntry, _ red: Int, _ blue: Int, _ tables: Span<PrefixCodeEntry>, _ state: BitReader,
    _ bytes: Span<UInt8>
  ) -> (UInt32, BitReader) {
    var reader = state
    reader.refill(from: bytes)
    let colors: UInt32
    if entry.bits & PrefixCodeEntry.onlyRed != 0 {
      reader.drop(entry.bits)
      colors = entry.bits &>> 8 & 0xFF
    } else {
      colors = UInt32(truncatingIfNeeded: readSymbol(at: red, tables, &reader))
    }
    let blue = readSymbol(at: blue, tables, &reader)
    return (colors | UInt32(truncatingIfNeeded: blue) &<< 16, reader)
  }

  /// The next symbol of the code whose table starts at `table`. Takes at most 15 bits.
  @inline(__always)
  static func readSymbol(at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader) -> Int {
    readSymbol(tables[table &+ reader.peek(UInt64(PrefixCodeGroup.rootBits))], at: table, tables, &reader)
  }

  /// The number of bits of the next symbol, including its extra bits, distance and colors.
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
      reader.drop(entry.bits)
    }
    if symbol < PrefixCodeGroup.lengthSymbols {
      _ = Self.readSymbol(at: group.red, tables, &reader)
      _ = Self.readSymbol(at: group.blue, tables, &reader)
      reader.refill(from: bytes)
      _ = Self.readSymbol(at: group.alpha, tables, &reader)
    } else if symbol < PrefixCodeGroup.greenSymbols {
      _ = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.lengthSymbols, &reader)
      let prefix = Self.readSymbol(at: group.distance, tables, &reader)
      reader.refill(from: bytes)
      _ = BackwardReference.value(prefix: prefix, &reader)
    }
    return reader.bit &- position.bit
  }

  /// The symbol of a root table's entry, or of the second-level table that the entry points to.
  @inline(__always)
  static func readSymbol(
    _ entry: PrefixCodeEntry, at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader
  ) -> Int {
    reader.drop(entry.bits)
    if entry.moreBits == 0 { return entry.symbol }
    let last = tables[table &+ entry.offset &+ reader.peek(entry.moreBits)]
    reader.drop(last.bits)
    return last.symbol
  }
}

extension BackwardReference {
  /// The number, at least 1, with this prefix symbol and the extra bits that follow.
  @inline(__always)
  static func value(prefix: Int, _ reader: inout BitReader) -> Int {
    if prefix < 4 { return prefix &+ 1 }
    let extraBits = (prefix &- 2) &>> 1
    return (2 &+ prefix & 1) &<< extraBits &+ reader.take(extraBits) &+ 1
  }
}
