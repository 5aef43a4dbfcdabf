/// How a macroblock, or its chroma, is predicted as a whole (RFC 6386, section 8.2).
enum MacroblockMode: UInt8 {
  case dc, vertical, horizontal, trueMotion
}

/// How a 4 × 4 subblock is predicted (section 11.2), in the RFC's order.
enum SubblockMode: UInt8 {
  case dc, trueMotion, vertical, horizontal, leftDown, rightDown, verticalRight, verticalLeft, horizontalDown,
    horizontalUp
}
