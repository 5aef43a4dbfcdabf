// Roots are made ready for the loop that is to look up in them: the one that makes pixels, or the one that makes words.

extension PrefixCodes {
  /// For pixels: where two colours of the cache have short codes, one look-up finds both.
  ///
  /// - Parameter count: of the picture's pixels. It does not pay for a few.
  mutating func prepareForPixels(_ count: Int) {
    guard count / groups.count >= 1 << 15 else { return }
    for group in groups { group.pairColors(&tables) }
  }

  /// For words: one look-up finds all of a literal but for alpha where red and blue have no bits, and a detour where
  /// alpha has; and the same bits of the stream are a place in either table.
  mutating func prepareForWords() {
    for index in groups.indices {
      switch groups[index].form {
      case .constant: break
      case .green, .alpha: groups[index].completeLiterals(&tables)
      case .opaque: groups[index].makeRootsAlike(&tables)
      }
    }
  }
}

extension PrefixCodeGroup {
  fileprivate func pairColors(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    var tables = tables.mutableSpan
    // What follows the first code is at a lower index: from the last on, it is not yet a pair.
    for index in stride(from: 1 &<< greenBits &- 1, to: 0, by: -1) {
      let first = tables[green &+ index]
      if !first.isWhole { continue }
      let second = tables[green &+ index &>> first.length]
      if let pair = PrefixCodeEntry(first, second, rootBits: greenBits) { tables[green &+ index] = pair }
    }
  }

  fileprivate func completeLiterals(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    var tables = tables.mutableSpan
    for index in green..<green &+ 1 &<< greenBits where !tables[index].isSpecial {
      let literal = tables[index]
      tables[index] =
        form == .alpha ? PrefixCodeEntry(detour: literal) : PrefixCodeEntry(literal, redBlueAlpha: constant)
    }
  }

  fileprivate mutating func makeRootsAlike(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    if greenBits > Self.jointBits { appendJointTable(bits: greenBits, isWorthwhile: true, to: &tables) }
  }
}
