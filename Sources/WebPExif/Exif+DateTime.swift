import PureWebP

extension WebP.Exif {
  /// A date and a time of a clock, and the clock's time zone if the file specifies it.
  public struct DateTime: Hashable, Sendable, CustomStringConvertible {
    /// The year, from 0 to 9999.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1 to 31.
    public let day: Int
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 60.
    public let second: Int
    /// The fraction of the second, in nanoseconds. 0 if the file specifies none.
    public let nanosecond: Int
    /// The difference between the clock and UTC, in minutes; positive to the east. Nil if the file specifies none.
    public let minutesFromUTC: Int?

    /// - Parameters:
    ///   - text: `YYYY:MM:DD hh:mm:ss`. Spaces in place of digits mean that the time is unknown. Some writers use the
    ///     separators of ISO 8601, and append a fraction or a zone, which precede the other parameters.
    ///   - fraction: The digits after the decimal point of the seconds.
    ///   - zone: `+hh:mm` or `-hh:mm`.
    init?(_ text: String?, fraction: String?, zone: String?) {
      guard let text, text.utf8.count >= 19, var rest = Optional(text.utf8.dropFirst(19)) else { return nil }
      let numbers = digits(text.utf8.prefix(19), separators: [":-", ":-", " T", ":", ":"])
      guard let numbers, numbers.count == 6, 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24,
        numbers[4] < 60, numbers[5] <= 60
      else { return nil }
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
      (hour, minute, second) = (numbers[3], numbers[4], numbers[5])

      var fraction = (fraction ?? "").utf8.prefix { digit($0) != nil }
      if rest.first == UInt8(ascii: ".") {
        fraction = rest.dropFirst().prefix { digit($0) != nil }
        rest = rest.dropFirst(1 + fraction.count)
      }
      var nanosecond = 0
      var unit = 100_000_000
      for digit in fraction.compactMap(digit) {
        nanosecond += digit * unit
        unit /= 10
      }
      self.nanosecond = nanosecond
      minutesFromUTC = rest.isEmpty ? zone.flatMap { minutes(ofZone: $0.utf8[...]) } : minutes(ofZone: rest)
      guard rest.isEmpty || minutesFromUTC != nil else { return nil }
    }

    /// The time as ISO 8601 specifies it, such as `2025-09-21T15:29:27.5+02:00`. Without a time zone, it ends after the
    /// seconds.
    public var description: String {
      var text = "\(padded(year, to: 4))-\(padded(month))-\(padded(day))"
      text += "T\(padded(hour)):\(padded(minute)):\(padded(second))"
      if nanosecond > 0 {
        var fraction = padded(nanosecond, to: 9)
        while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
        text += ".\(fraction)"
      }
      guard let minutesFromUTC else { return text }
      let (hours, minutes) = minutesFromUTC.magnitude.quotientAndRemainder(dividingBy: 60)
      return "\(text)\(minutesFromUTC < 0 ? "-" : "+")\(padded(Int(hours))):\(padded(Int(minutes)))"
    }
  }
}

/// The difference of a time zone to UTC: `+hh:mm`, `-hh:mm`, or `Z`.
private func minutes(ofZone text: Substring.UTF8View) -> Int? {
  if text.elementsEqual("Z".utf8) { return 0 }
  guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
    let numbers = digits(text.dropFirst(), separators: [":"]), numbers.count == 2, numbers[0] < 24, numbers[1] < 60
  else { return nil }
  return (60 * numbers[0] + numbers[1]) * (sign == UInt8(ascii: "-") ? -1 : 1)
}

/// Returns the numbers between the separators, or nil if the text has another form.
///
/// - Parameter separators: The characters that are allowed after each number except for the last one.
private func digits(_ text: Substring.UTF8View, separators: [String]) -> [Int]? {
  var separators = separators[...]
  var numbers = [0]
  for byte in text {
    if let digit = digit(byte) {
      numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
      guard numbers[numbers.count - 1] < 10_000 else { return nil }
    } else {
      guard separators.popFirst()?.utf8.contains(byte) == true else { return nil }
      numbers.append(0)
    }
  }
  return numbers
}

private func digit(_ byte: UInt8) -> Int? {
  UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte - UInt8(ascii: "0")) : nil
}

private func padded(_ number: Int, to width: Int = 2) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
