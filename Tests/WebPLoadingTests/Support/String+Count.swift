extension String {
  /// A long text of one ASCII character. `String(repeating:count:)` takes a second for 64 MiB.
  init(count: Int, of character: Unicode.Scalar) {
    self.init(decoding: [UInt8](repeating: UInt8(ascii: character), count: count), as: UTF8.self)
  }
}
