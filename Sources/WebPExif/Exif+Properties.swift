// The properties that several tags specify together (Exif 3.0, sections 4.6.4 to 4.6.6).

import PureWebP

extension WebP.Exif {
  /// The maker of the camera or scanner.
  public var make: String? { text(of: 0x010F) }

  /// The model of the camera or scanner.
  public var model: String? { text(of: 0x0110) }

  /// The model of the lens.
  public var lensModel: String? { text(of: 0xA434, in: .exif) }

  /// The time at which the picture was taken.
  public var dateTaken: DateTime? {
    DateTime(
      text(of: 0x9003, in: .exif), fraction: text(of: 0x9291, in: .exif), zone: text(of: 0x9011, in: .exif))
  }

  /// The time at which the image was last changed.
  public var dateChanged: DateTime? {
    DateTime(text(of: 0x0132), fraction: text(of: 0x9290, in: .exif), zone: text(of: 0x9010, in: .exif))
  }

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
    ///   - text: `YYYY:MM:DD hh:mm:ss`. Spaces in place of digits mean that the time is unknown.
    ///   - fraction: The digits after the decimal point of the seconds.
    ///   - zone: `+hh:mm` or `-hh:mm`.
    init?(_ text: String?, fraction: String?, zone: String?) {
      guard let text, text.utf8.count == 19 else { return nil }
      let numbers = digits(text, separators: ":: ::")
      guard let numbers, numbers.count == 6, 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24,
        numbers[4] < 60, numbers[5] <= 60
      else { return nil }
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
      (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
      var nanosecond = 0
      var unit = 100_000_000
      for digit in (fraction ?? "").utf8.prefix(while: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
        nanosecond += Int(digit - UInt8(ascii: "0")) * unit
        unit /= 10
      }
      self.nanosecond = nanosecond
      let sign = zone?.utf8.first
      let difference = zone.flatMap { digits(String($0.dropFirst()), separators: ":") }
      if let sign, let difference, difference.count == 2, difference[0] < 24, difference[1] < 60,
        sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      {
        minutesFromUTC = (60 * difference[0] + difference[1]) * (sign == UInt8(ascii: "-") ? -1 : 1)
      } else {
        minutesFromUTC = nil
      }
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

/// Returns the numbers between the separators, or nil if the text has another form.
private func digits(_ text: String, separators: String) -> [Int]? {
  var separators = Array(separators.utf8)[...]
  var numbers = [0]
  for byte in text.utf8 {
    if UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
      numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
      guard numbers[numbers.count - 1] < 10_000 else { return nil }
    } else {
      guard byte == separators.popFirst() else { return nil }
      numbers.append(0)
    }
  }
  return numbers
}

private func padded(_ number: Int, to width: Int = 2) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

// MARK: Location, resolution, comment

extension WebP.Exif {
  /// A position on the Earth.
  public struct Location: Hashable, Sendable {
    /// The latitude in degrees, from −90 to 90; positive to the north.
    public let latitude: Double
    /// The longitude in degrees, from −180 to 180; positive to the east.
    public let longitude: Double
    /// The height above the sea level, in meters. Nil if the file specifies none.
    public let altitude: Double?
  }

  /// The location of the camera.
  public var location: Location? {
    guard let latitude = degrees(of: 2, negative: "S", positive: "N"), abs(latitude) <= 90,
      let longitude = degrees(of: 4, negative: "W", positive: "E"), abs(longitude) <= 180
    else { return nil }
    let isBelow = value(of: 5, in: .gps)?.integer.map { $0 & 1 == 1 } ?? false
    let height = fractions(of: 6, in: .gps).first?.value
    return Location(latitude: latitude, longitude: longitude, altitude: height.map { isBelow ? -$0 : $0 })
  }

  /// An angle of degrees, minutes and seconds. The preceding tag specifies its direction.
  private func degrees(of tag: Int, negative: String, positive: String) -> Double? {
    let parts = fractions(of: tag, in: .gps)
    guard let degrees = parts.first?.value, let direction = text(of: tag - 1, in: .gps),
      direction == positive || direction == negative
    else { return nil }
    // A part that is not known is 0/0.
    let minutes = parts.dropFirst().first?.value ?? 0
    let seconds = parts.dropFirst(2).first?.value ?? 0
    let angle = degrees + minutes / 60 + seconds / 3600
    return direction == negative ? -angle : angle
  }

  private func fractions(of tag: Int, in directory: Directory) -> [Fraction] {
    if case .fractions(let fractions) = value(of: tag, in: directory) { fractions } else { [] }
  }

  /// The numbers of pixels per inch.
  public struct Resolution: Hashable, Sendable {
    /// The number of pixels per inch of a row.
    public let horizontal: Double
    /// The number of pixels per inch of a column.
    public let vertical: Double
  }

  /// The resolution for printing, or of a scanner. Nil also if the unit is not a length.
  public var resolution: Resolution? {
    let scale = [2: 1, 3: 2.54][value(of: 0x0128)?.integer ?? 2]  // inch, centimeter
    guard let scale, let horizontal = fractions(of: 0x011A, in: .image).first?.value, horizontal > 0,
      let vertical = fractions(of: 0x011B, in: .image).first?.value, vertical > 0
    else { return nil }
    return Resolution(horizontal: horizontal * scale, vertical: vertical * scale)
  }

  /// The comment of the user. Nil also if its encoding is JIS.
  public var userComment: String? {
    // The first eight bytes specify the encoding. Zeros mean that it is undefined.
    guard case .bytes(let bytes) = value(of: 0x9286, in: .exif), bytes.count > 8 else { return nil }
    var text: String
    if bytes.starts(with: "UNICODE\0".utf8) {
      var units = stride(from: 8, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      // A byte order mark precedes the text if its byte order is not the block's.
      let isLittleEndian = units.first == 0xFFFE || units.first != 0xFEFF && block.isLittleEndian
      if isLittleEndian { units = units.map { $0.byteSwapped } }
      text = String(decoding: units.drop { $0 == 0xFEFF }.prefix { $0 != 0 }, as: UTF16.self)
    } else if bytes.starts(with: "ASCII\0\0\0".utf8) || bytes[..<8].allSatisfy({ $0 == 0 }) {
      text = String(decoding: bytes[8...].prefix { $0 != 0 }, as: UTF8.self)
    } else {
      return nil
    }
    while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}
