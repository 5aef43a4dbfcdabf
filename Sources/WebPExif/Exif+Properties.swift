// The properties that several tags specify together (Exif 3.0, sections 4.6.4 to 4.6.6).

import PureWebP

extension WebP.Exif {
  /// The maker of the camera or scanner.
  public var make: String? { text(of: 0x010F) }

  /// The model of the camera or scanner.
  public var model: String? { text(of: 0x0110) }

  /// The rating of the image, usually from 0 to 5 stars.
  public var rating: Int? { value(of: 0x4746)?.integer }

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
}

// MARK: Location, resolution

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
    guard let latitude = degrees(of: 2, negative: "S"), abs(latitude) <= 90,
      let longitude = degrees(of: 4, negative: "W"), abs(longitude) <= 180
    else { return nil }
    let isBelow = value(of: 5, in: .gps)?.integer.map { $0 & 1 == 1 } ?? false
    let height = fractions(of: 6, in: .gps).first?.value
    return Location(latitude: latitude, longitude: longitude, altitude: height.map { isBelow ? -$0 : $0 })
  }

  /// An angle of degrees, minutes and seconds. The preceding tag specifies its direction.
  ///
  /// - Parameter negative: The first letter of the direction of negative angles. Some writers store words, lower case,
  ///   or nothing. As in exiftool, all other directions are positive.
  private func degrees(of tag: Int, negative: String) -> Double? {
    let parts = fractions(of: tag, in: .gps)
    guard let degrees = parts.first?.value else { return nil }
    let direction = text(of: tag - 1, in: .gps) ?? ""
    // A part that is not known is 0/0.
    let minutes = parts.dropFirst().first?.value ?? 0
    let seconds = parts.dropFirst(2).first?.value ?? 0
    let angle = degrees + minutes / 60 + seconds / 3600
    return direction.prefix(1).uppercased() == negative ? -angle : angle
  }

  private func fractions(of tag: Int, in directory: Directory) -> [Fraction] {
    if case .fractions(let fractions) = value(of: tag, in: directory) { fractions } else { [] }
  }

  /// The density of the pixels.
  public struct Resolution: Hashable, Sendable {
    /// The number of pixels per inch of a row.
    public let horizontal: Double
    /// The number of pixels per inch of a column.
    public let vertical: Double
    /// Indicates whether the numbers are per inch. If false, the file specifies no unit, and only their ratio has a
    /// meaning: the aspect ratio of a pixel.
    public let isPerInch: Bool
  }

  /// The resolution for printing, or of a scanner. Nil also if the unit is unknown.
  public var resolution: Resolution? {
    let unit = value(of: 0x0128)?.integer ?? 2
    let scale = [1: 1, 2: 1, 3: 2.54][unit]  // none, inch, centimeter
    guard let scale, let horizontal = fractions(of: 0x011A, in: .image).first?.value, horizontal > 0,
      let vertical = fractions(of: 0x011B, in: .image).first?.value, vertical > 0
    else { return nil }
    return Resolution(horizontal: horizontal * scale, vertical: vertical * scale, isPerInch: unit != 1)
  }
}
