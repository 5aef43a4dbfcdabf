// Writes VP8 key frames (RFC 6386): a frame header with chosen fields, followed by random bytes. Any bytes decode to
// valid modes and tokens. Their frequencies follow from the probabilities in the header.

extension Choices {
  /// Returns the payload of a VP8 chunk.
  public mutating func lossyStream(width: Int, height: Int) -> [UInt8] {
    let macroblocks = ((width + 15) / 16) * ((height + 15) / 16)
    let partitions = below(4)
    // The length is near the number of bytes that the modes need, so that some first partitions are too short.
    let first = frameHeader(log2Partitions: partitions) + bytes(8 + macroblocks * within(1...8))
    let tag = 1 << 4 | below(4) << 1 | first.count << 5
    var out = [UInt8(tag & 255), UInt8(tag >> 8 & 255), UInt8(tag >> 16 & 255), 0x9D, 0x01, 0x2A]
    for size in [width, height] {
      out += [UInt8(size & 255), UInt8(size >> 8 | below(4) << 6)]
    }
    out += first
    var tokens: [UInt8] = []
    let perMacroblock = within(1...100)
    for index in 0..<1 << partitions {
      let size = 2 + macroblocks * perMacroblock >> partitions
      if index < 1 << partitions - 1 {
        // A few partitions have a wrong declared size.
        let declared = oneIn(20) ? below(1 << 16) : size
        out += [UInt8(declared & 255), UInt8(declared >> 8 & 255), UInt8(declared >> 16)]
      }
      tokens += bytes(size)
    }
    return out + tokens
  }

  /// Returns the frame header's fields before the probabilities (section 19.2).
  private mutating func frameHeader(log2Partitions: Int) -> [UInt8] {
    var coder = BoolEncoder()
    coder.literal(below(4), 2)
    let hasSegments = oneIn(2)
    coder.put(128, hasSegments)
    if hasSegments {
      let (updatesMap, updatesData) = (oneIn(2), oneIn(2))
      coder.put(128, updatesMap)
      coder.put(128, updatesData)
      if updatesData {
        coder.put(128, oneIn(2))
        for _ in 0..<4 { coder.optional(optional(127), 7) }
        for _ in 0..<4 { coder.optional(optional(63), 6) }
      }
      if updatesMap {
        for _ in 0..<3 { coder.optional(oneIn(2) ? below(256) : nil, 8, isSigned: false) }
      }
    }
    coder.put(128, oneIn(2))
    coder.literal(below(64), 6)
    coder.literal(below(8), 3)
    let hasDeltas = oneIn(2)
    coder.put(128, hasDeltas)
    if hasDeltas {
      let updates = oneIn(2)
      coder.put(128, updates)
      if updates { for _ in 0..<8 { coder.optional(optional(63), 6) } }
    }
    coder.literal(log2Partitions, 2)
    coder.literal(below(128), 7)
    for _ in 0..<5 { coder.optional(optional(15), 4) }
    coder.put(128, oneIn(2))
    return coder.bytes
  }

  private mutating func optional(_ magnitude: Int) -> Int? {
    guard oneIn(2) else { return nil }
    return within(-magnitude...magnitude)
  }
}
