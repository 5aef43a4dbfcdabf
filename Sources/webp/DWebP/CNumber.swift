// Numbers as C's strtoul reads them with base 0, and dwebp keeps of them: 12, 014 and 0xc are the same, whatever follows
// is not looked at, and what does not fit is cut off.

/// The number that `text` begins with, as a 32-bit int. Nil if it begins with none.
func cNumber(_ text: String) -> Int32? {
  var rest = Array(text.utf8)[...]
  rest = rest.drop { $0 == UInt8(ascii: " ") || 0x09...0x0D ~= $0 }
  var isNegative = false
  if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
    isNegative = sign == UInt8(ascii: "-")
    rest.removeFirst()
  }

  var base: UInt64 = 10
  if rest.first == UInt8(ascii: "0") {
    base = 8
    // 0x counts only with a digit behind it: otherwise the number is the 0.
    let prefix = rest.dropFirst()
    if prefix.first.map({ $0 | 0x20 }) == UInt8(ascii: "x"),
      prefix.dropFirst().first.flatMap(digit).map({ $0 < 16 }) == true
    {
      base = 16
      rest = prefix.dropFirst()
    }
  }

  var number: UInt64 = 0
  var hasDigits = false
  var overflows = false
  for value in rest.lazy.map(digit) {
    guard let value, value < base else { break }
    hasDigits = true
    let (product, overflow) = number.multipliedReportingOverflow(by: base)
    let (sum, overflowToo) = product.addingReportingOverflow(value)
    overflows = overflows || overflow || overflowToo
    number = sum
  }
  guard hasDigits else { return nil }
  if overflows { return -1 }
  return Int32(truncatingIfNeeded: isNegative ? 0 &- number : number)
}

private func digit(_ character: UInt8) -> UInt64? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(character - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(character - UInt8(ascii: "A") + 10)
  default: nil
  }
}
