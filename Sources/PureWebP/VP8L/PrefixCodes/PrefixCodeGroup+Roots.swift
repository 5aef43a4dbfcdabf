// Preparation of root tables for one of the two symbol loops: the loop that writes pixels or the loop that packs
// symbols.

internal import WebPFormat

extension PrefixCodeGroup {
  /// Merges two consecutive colors of the cache with short codes into one entry, so that one lookup decodes both.
  func pairColors(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    defer { tables.fillLowBytes(ofRoot: green, bits: bits) }
    var tables = tables.mutableSpan
    // The entry of the second color has a lower index. The loop runs downward, so this entry is not a pair yet.
    for index in stride(from: 1 &<< bits &- 1, to: 0, by: -1) {
      let first = tables[green &+ index]
      if !first.completesPixel { continue }
      let second = tables[green &+ index &>> first.length]
      if let pair = PrefixCodeEntry(first, second, rootBits: bits) { tables[green &+ index] = pair }
    }
  }

  /// Moves literals to their position in packed symbols.
  func prepareForPacking(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    for index in green..<green + 1 << bits where !tables[index].isNotLiteral {
      let literal = tables[index]
      tables[index] =
        form == .green
        ? PrefixCodeEntry(literal, redBlueAlpha: constant) : PrefixCodeEntry(literal, needsSlowPath: form == .alpha)
    }
    tables.fillLowBytes(ofRoot: green, bits: bits)
  }
}
