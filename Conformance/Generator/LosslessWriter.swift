// Writes random VP8L bitstreams (RFC 9649, section 3), nearly all of them valid: transforms in any order, prefix codes
// in any form, and symbols of these codes.

extension Choices {
  /// Returns the payload of a VP8L chunk. Without a header, it is the bitstream of compressed alpha.
  public mutating func losslessStream(width: Int, height: Int, hasHeader: Bool = true) -> [UInt8] {
    var out = BitWriter()
    if hasHeader {
      out.put(0x2F, 8)
      out.put(width - 1, 14)
      out.put(height - 1, 14)
      out.put(below(2), 1)
      out.put(0, 3)
    }
    var codedWidth = width
    var left = [0, 1, 2, 3]
    while !left.isEmpty, oneIn(2) {
      let type = left.remove(at: below(left.count))
      out.put(1, 1)
      // Using a transform twice is invalid.
      out.put(oneIn(200) ? below(4) : type, 2)
      switch type {
      case 0, 1:
        let bits = within(2...9)
        out.put(bits - 2, 3)
        writeImage(Self.blocks(codedWidth, bits), Self.blocks(height, bits), to: &out)
      case 3:
        let colors = oneIn(2) ? within(1...17) : within(1...256)
        out.put(colors - 1, 8)
        writeImage(colors, 1, to: &out)
        codedWidth = Self.blocks(codedWidth, colors <= 2 ? 3 : colors <= 4 ? 2 : colors <= 16 ? 1 : 0)
      default: break
      }
    }
    out.put(0, 1)
    writeImage(codedWidth, height, isMainImage: true, to: &out)
    return out.bytes
  }

  private static func blocks(_ size: Int, _ bits: Int) -> Int { (size + 1 << bits - 1) >> bits }

  /// Writes an entropy-coded image (sections 3.7 and 3.8.3): color cache, entropy image, prefix codes, symbols. Only
  /// the main image has an entropy image.
  private mutating func writeImage(_ width: Int, _ height: Int, isMainImage: Bool = false, to out: inout BitWriter) {
    let cacheBits = oneIn(3) ? within(1...11) : 0
    out.put(cacheBits > 0 ? 1 : 0, 1)
    if cacheBits > 0 { out.put(cacheBits, 4) }
    var blockBits = 0
    var groupOfBlock = [0]
    if isMainImage {
      let hasGroups = oneIn(2)
      out.put(hasGroups ? 1 : 0, 1)
      if hasGroups {
        blockBits = within(2...9)
        out.put(blockBits - 2, 3)
        groupOfBlock = writeEntropyImage(Self.blocks(width, blockBits), Self.blocks(height, blockBits), to: &out)
      }
    }
    let alphabets = [280 + (cacheBits > 0 ? 1 << cacheBits : 0), 256, 256, 256, 40]
    var groups: [[WrittenCode]] = []
    for _ in 0...groupOfBlock.max()! {
      var codes: [WrittenCode] = []
      for alphabet in alphabets { codes.append(writeCode(alphabet: alphabet, to: &out)) }
      groups.append(codes)
    }
    let blocksPerRow = Self.blocks(width, blockBits)
    var pixels = 0
    while pixels < width * height {
      let (x, y) = (pixels % width, pixels / width)
      let block = groupOfBlock.count == 1 ? 0 : groupOfBlock[(y >> blockBits) * blocksPerRow + x >> blockBits]
      pixels += writeSymbol(groups[block], at: pixels, of: width * height, width: width, to: &out)
    }
  }

  /// Writes an entropy image (section 3.7.2.2) and returns the prefix code group of each block.
  private mutating func writeEntropyImage(_ width: Int, _ height: Int, to out: inout BitWriter) -> [Int] {
    let count = oneIn(20) ? within(1...600) : within(1...4)
    out.put(0, 1)
    let green = writeNormalCode(of: Array(0..<min(count, 256)), 280, to: &out)
    let red = writeNormalCode(of: Array(0...(count - 1) >> 8), 256, to: &out)
    _ = writeSimpleCode([below(256)], to: &out)
    _ = writeSimpleCode([below(256)], to: &out)
    _ = writeSimpleCode([below(2)], to: &out)
    return (0..<width * height).map { _ in
      let group = below(count)
      green.put(group & 255, to: &out)
      red.put(group >> 8, to: &out)
      return group
    }
  }

  /// Writes a symbol that the prefix codes contain (section 3.6).
  ///
  /// - Returns: the number of pixels that the symbol encodes.
  private mutating func writeSymbol(
    _ codes: [WrittenCode], at pixel: Int, of pixels: Int, width: Int, to out: inout BitWriter
  ) -> Int {
    // Backward references outside of the image are invalid, so few are written.
    let isReckless = oneIn(256)
    var symbol = pick(codes[0].symbols)
    var length = (symbol: 0, extra: 0, extraBits: 0, value: 1)
    var distance = length
    if 256..<280 ~= symbol {
      length = prefixCoded(symbol - 256)
      distance = prefixCoded(pick(codes[4].symbols))
      let isValid = length.value <= pixels - pixel && Self.distance(distance.value, width) <= pixel
      if !isValid, !isReckless, let other = codes[0].symbols.first(where: { $0 < 256 || $0 >= 280 }) { symbol = other }
    }
    codes[0].put(symbol, to: &out)
    switch symbol {
    case ..<256:
      for code in codes[1...3] { code.put(pick(code.symbols), to: &out) }
      return 1
    case ..<280:
      out.put(length.extra, length.extraBits)
      codes[4].put(distance.symbol, to: &out)
      out.put(distance.extra, distance.extraBits)
      return length.value
    default:
      return 1
    }
  }

  private mutating func pick(_ symbols: [Int]) -> Int { symbols[symbols.count == 1 ? 0 : below(symbols.count)] }

  /// Returns a number with its prefix symbol and extra bits (section 3.6.2.2).
  private mutating func prefixCoded(_ symbol: Int) -> (symbol: Int, extra: Int, extraBits: Int, value: Int) {
    guard symbol >= 4 else { return (symbol, 0, 0, symbol + 1) }
    let bits = (symbol - 2) >> 1
    let extra = below(1 << bits)
    return (symbol, extra, bits, (2 + symbol & 1) << bits + extra + 1)
  }

  /// The distance of a distance code, in pixels. For the codes 17 to 120, returns an upper bound of their distances.
  private static func distance(_ code: Int, _ width: Int) -> Int {
    if code > 120 { return code - 120 }
    guard code <= neighbors.count else { return 8 * width + 8 }
    let (x, y) = neighbors[code - 1]
    return max(1, x + y * width)
  }

  private static let neighbors = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2), (0, 3), (3, 0),
    (1, 3), (-1, 3),
  ]
}
