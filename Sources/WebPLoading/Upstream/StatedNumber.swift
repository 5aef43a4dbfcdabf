/// A number that a server or a file states: a length or an offset in bytes, or a number of seconds.
///
/// Numbers above `maximum` become `maximum`. Therefore the sum of two of them, or of one and the length of data in
/// memory, fits into an `Int`.
struct StatedNumber: Hashable {
  static let maximum = Int.max / 2

  /// The number, from 0 to `maximum`.
  let value: Int

  /// Converts a number in binary. A negative one becomes 0.
  init(_ number: some BinaryInteger) { value = min(max(Int(clamping: number), 0), Self.maximum) }

  /// Parses a number, which must consist of decimal digits (RFC 9110, section 8.6; RFC 9111, section 1.2.2).
  init?(_ text: some StringProtocol) {
    if text.isEmpty { return nil }
    var value = 0
    for byte in text.utf8 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value < Self.maximum / 10 ? value * 10 + Int(byte - UInt8(ascii: "0")) : Self.maximum
    }
    self.value = value
  }

  /// Parses the first value of a header field. Later values, and fields with the same name, are ignored.
  init?(firstOf field: String?) {
    guard let first = field?.utf8.names(separatedBy: .comma, maxSplits: 1).first else { return nil }
    self.init(first)
  }

  /// Parses a header field that has one value. If it has several, they must be equal.
  init?(onlyOf field: String?) {
    let values = Set((field ?? "").utf8.names(separatedBy: .comma))
    guard let value = values.first, values.count == 1 else { return nil }
    self.init(value)
  }
}
