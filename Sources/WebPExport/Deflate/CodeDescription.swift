/// The order in which the lengths of the code for lengths are stored.
private let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/// Returns the start of a block: the lengths of its prefix codes, which are compressed with a prefix code (RFC 1951,
/// section 3.2.7).
///
/// - Parameters:
///   - lengths: the code lengths of 286 literals and lengths.
///   - distances: the code lengths of 30 distances.
///   - isLast: true if no block follows in the stream.
/// - Returns: numbers of at most 14 bits, less than 400.
func codeDescription(
  _ lengths: ContiguousArray<UInt8>, _ distances: ContiguousArray<UInt8>, isLast: Bool
) -> ContiguousArray<(value: Int, bitCount: Int)> {
  let lengthCount = max(257, 1 + (lengths.lastIndex { $0 > 0 } ?? 0))
  let distanceCount = 1 + (distances.lastIndex { $0 > 0 } ?? 0)
  let symbols = repeatedLengths(ContiguousArray(lengths[..<lengthCount] + distances[..<distanceCount]))
  var counts = ContiguousArray<UInt32>(repeating: 0, count: 19)
  for symbol in symbols { counts[symbol.index] += 1 }
  let codeLengths = codeLengths(counts.span, limit: 7)
  let codes = prefixCodes(codeLengths.span)
  let stored = max(4, 1 + (order.lastIndex { codeLengths[$0] > 0 } ?? 0))
  // The type of the block: dynamic Huffman codes.
  var fields: ContiguousArray<(value: Int, bitCount: Int)> = [
    (isLast ? 1 : 0, 1), (2, 2), (lengthCount - 257, 5), (distanceCount - 1, 5), (stored - 4, 4),
  ]
  for index in order[..<stored] { fields.append((Int(codeLengths[index]), 3)) }
  for symbol in symbols {
    let (code, length) = (Int(codes[symbol.index] & 0xFFFF), Int(codeLengths[symbol.index]))
    fields.append((code | symbol.extra << length, length + symbol.extraBits))
  }
  return fields
}

/// Symbols 0 ... 15 are lengths. Symbol 16 repeats the last length 3 to 6 times. Symbols 17 and 18 are 3 to 10, and 11
/// to 138, zeros.
private func repeatedLengths(
  _ lengths: ContiguousArray<UInt8>
) -> ContiguousArray<(index: Int, extraBits: Int, extra: Int)> {
  var symbols = ContiguousArray<(index: Int, extraBits: Int, extra: Int)>()
  var start = 0
  while start < lengths.count {
    let length = Int(lengths[start])
    let end = lengths[start...].firstIndex { $0 != lengths[start] } ?? lengths.count
    // The first length of several is stored, and repeated. Zeros are not.
    if length > 0 { symbols.append((length, 0, 0)) }
    start += length > 0 ? 1 : 0
    while start < end {
      let count = min(end - start, length > 0 ? 6 : 138)
      switch (count, length) {
      case (...2, _): for _ in 0..<count { symbols.append((length, 0, 0)) }
      case (_, 0): symbols.append(count > 10 ? (18, 7, count - 11) : (17, 3, count - 3))
      default: symbols.append((16, 2, count - 3))
      }
      start += count
    }
  }
  return symbols
}
