// From the levels of a macroblock, a byte each, to the 16 bits that the transforms work on.

/// The coefficients of one macroblock, in the places of `CodedLevels`.
typealias Coefficients = UnsafeMutablePointer<Int16>

extension CodedLevels {
  /// Calls `body` with memory for the coefficients of a macroblock.
  @inline(__always)
  static func withCoefficients(_ body: (Coefficients) -> Void) {
    // Of 16 bytes' alignment and less than 1024, so that it is on the stack.
    unsafe withUnsafeTemporaryAllocation(byteCount: 2 &* perMacroblock, alignment: 16) { memory in
      unsafe body(memory.bindMemory(to: Int16.self).baseAddress.unsafelyUnwrapped)
    }
  }

  /// Copies what a macroblock has. The rest of `coefficients` is left as it is.
  ///
  /// - Parameters:
  ///   - column: the macroblock's, in bounds.
  ///   - largeCount: how many large levels those before it had. Grows by those that it has.
  /// - Returns: whether it has none: all its levels have eight bits.
  @inline(__always)
  func widen(
    _ macroblock: Macroblock, at column: Int, to coefficients: Coefficients, after largeCount: inout Int
  ) -> Bool {
    let start = column &* Self.perMacroblock
    if macroblock.hasY2 { unsafe widen(start, 0, count: 1, to: coefficients) }
    if macroblock.lumaCodes != 0 { unsafe widen(start, Self.luma, count: 16, to: coefficients) }
    if macroblock.chromaCodes != 0 { unsafe widen(start, Self.u, count: 8, to: coefficients) }
    let countBefore = largeCount
    while largeCount < large.levels.count {
      let next = large.levels[largeCount]
      let place = Int(next.place) &- start
      guard place < Self.perMacroblock else { break }
      precondition(place >= 0)
      unsafe coefficients[place] = next.level
      largeCount &+= 1
    }
    return largeCount == countBefore
  }

  /// Copies blocks of a macroblock from one place on.
  @inline(never)
  private func widen(_ start: Int, _ place: Int, count: Int, to coefficients: Coefficients) {
    unsafe bytes.withUnsafeBytes { bytes in
      for place in stride(from: place, to: place &+ 16 &* count, by: 16) {
        let levels = unsafe bytes.loadUnaligned(fromByteOffset: start &+ place, as: SIMD16<Int8>.self)
        unsafe UnsafeMutableRawPointer(coefficients + place).storeBytes(
          of: SIMD16<Int16>(truncatingIfNeeded: levels), as: SIMD16<Int16>.self)
      }
    }
  }
}
