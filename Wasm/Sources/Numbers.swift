extension Int64 {
  /// Converts by one instruction. It replaces the standard library's generic initializer, which iterates over words.
  @inline(__always)
  init(_ number: Int) {
    self = Int64(bitPattern: UInt64(UInt(bitPattern: number)) &<< 32) &>> 32
  }
}
