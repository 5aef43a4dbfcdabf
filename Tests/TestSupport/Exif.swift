public enum Exif {
  /// A little-endian directory with one entry: tag 0x0112 (orientation) with the value 6, a quarter turn to the right.
  public static let turnedRight: [UInt8] = [
    0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
  ]
}
