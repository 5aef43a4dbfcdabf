/// The prediction mode of a complete luma or chroma block (RFC 6386, section 8.2).
enum MacroblockMode: UInt8 {
  case dc, vertical, horizontal, trueMotion
}

/// The prediction mode of a 4 × 4 subblock (section 11.2), in the order of the RFC.
enum SubblockMode: UInt8 {
  case dc, trueMotion, vertical, horizontal, leftDown, rightDown, verticalRight, verticalLeft, horizontalDown,
    horizontalUp
}
