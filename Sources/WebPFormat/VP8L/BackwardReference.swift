// Lengths and distances of backward references (RFC 9649, section 3.6.2.2).

public enum BackwardReference: Sendable {
  /// The longest copy, in pixels.
  public static let longest = 4096
  /// The maximum distance, in pixels, of backward references whose distance prefix is at most `prefix`.
  public static func farthest(prefix: Int, width: Int) -> Int {
    let largestCode = value(prefix: prefix) { extraBits in 1 << extraBits - 1 }
    return max(largestCode - 120, 7 * width + 8)  // the farthest neighbor: seven rows up and eight columns left
  }

  /// The number that a prefix symbol and its extra bits represent, at least 1.
  ///
  /// - Parameter take: reads a number of extra bits. Not called if there are none.
  @inlinable @inline(__always)
  public static func value(prefix: Int, _ take: (_ extraBits: Int) -> Int) -> Int {
    if prefix < 4 { return prefix &+ 1 }
    let extraBits = (prefix &- 2) &>> 1
    return (2 &+ prefix & 1) &<< extraBits &+ take(extraBits) &+ 1
  }

  /// The distance of a distance code in an image of this width, at least 1 pixel.
  ///
  /// Codes 1 to 120 select neighboring pixels, nearest first. A larger code is the distance plus 120.
  @inlinable @inline(__always)
  public static func distance(code: Int, width: Int) -> Int {
    if code > 120 { return code &- 120 }
    let neighbor = Int(neighbors[code &- 1])
    return max(1, (neighbor &>> 4) &* width &+ 8 &- neighbor & 15)
  }

  /// The neighbors, as rows up · 16 + 8 − columns left.
  @inlinable static var neighbors: [UInt8] {
    [
      0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1A, 0x26, 0x2A, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1B, 0x36,
      0x3A, 0x25, 0x2B, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1C, 0x35, 0x3B, 0x46, 0x4A, 0x24, 0x2C, 0x58, 0x45, 0x4B, 0x34,
      0x3C, 0x03, 0x57, 0x59, 0x13, 0x1D, 0x56, 0x5A, 0x23, 0x2D, 0x44, 0x4C, 0x55, 0x5B, 0x33, 0x3D, 0x68, 0x02, 0x67,
      0x69, 0x12, 0x1E, 0x66, 0x6A, 0x22, 0x2E, 0x54, 0x5C, 0x43, 0x4D, 0x65, 0x6B, 0x32, 0x3E, 0x78, 0x01, 0x77, 0x79,
      0x53, 0x5D, 0x11, 0x1F, 0x64, 0x6C, 0x42, 0x4E, 0x76, 0x7A, 0x21, 0x2F, 0x75, 0x7B, 0x31, 0x3F, 0x63, 0x6D, 0x52,
      0x5E, 0x00, 0x74, 0x7C, 0x41, 0x4F, 0x10, 0x20, 0x62, 0x6E, 0x30, 0x73, 0x7D, 0x51, 0x5F, 0x40, 0x72, 0x7E, 0x61,
      0x6F, 0x50, 0x71, 0x7F, 0x60, 0x70,
    ]
  }
}

/// The order in which the lengths of the code length code are stored (RFC 9649, section 3.7.2.1.2). Frequent symbols
/// are first, so that encoders can omit lengths at the end.
@inlinable
public var codeLengthOrder: [UInt8] { [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] }

/// The number of blocks with a side of 2^`bits` that cover a side of `length` pixels (`DIV_ROUND_UP` of RFC 9649,
/// section 3.5.1). Transforms and the entropy image have blocks.
public func blocks(in length: Int, bits: Int) -> Int { (length + 1 << bits - 1) >> bits }
