// Reads little-endian numbers.

extension Span<UInt8> {
  /// The four bytes at `offset` as a number. Traps unless all are in bounds.
  func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
      | UInt32(self[offset + 3]) << 24
  }

  /// The three bytes at `offset` as a number. Traps unless all are in bounds.
  func littleEndian24(at offset: Int) -> Int {
    Int(self[offset]) | Int(self[offset + 1]) << 8 | Int(self[offset + 2]) << 16
  }
}
