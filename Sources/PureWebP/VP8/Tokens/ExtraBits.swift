/// The probabilities of the extra bits of dct_cat1 to dct_cat6 (RFC 6386, section 13.2). The first bit's probability is
/// in the lowest byte.
enum ExtraBits {
  static let category1: UInt64 = 0x9F
  static let category2: UInt64 = 0x91A5
  static let category3: UInt64 = 0x8C_94AD
  static let category4: UInt64 = 0x878C_9BB0
  static let category5: UInt64 = 0x82_868D_9DB4
  /// The probabilities of the last eight of the eleven bits.
  static let category6: UInt64 = 0x8182_858C_99B1_C4E6
  /// The probabilities of the first three of the eleven bits.
  @inline(__always)
  static var firstOfCategory6: [UInt8] { [254, 254, 243] }
}
