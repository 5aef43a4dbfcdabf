/// The order in which the lengths of the code length code are stored (RFC 9649, section 3.7.2.1.2). Frequent symbols
/// are first, so that encoders can omit lengths at the end.
let codeLengthOrder: [UInt8] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
