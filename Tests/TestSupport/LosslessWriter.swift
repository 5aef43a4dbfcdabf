package import ConformanceGenerator

/// Writes bits, starting with the lowest bit of each byte.
package struct BitWriter {
  package private(set) var bytes: ContiguousArray<UInt8> = []
  private var used = 0

  package init() {}

  package mutating func write(_ value: Int, _ count: Int) {
    for bit in 0..<count {
      if used % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(used % 8)
      used += 1
    }
  }

  package var bitCount: Int { used }
}

/// A prefix code, specified by its code lengths (RFC 9649, section 3.7.2.1).
package struct PlainPrefixCode {
  package let lengths: [Int]
  /// The bits of each symbol's code, in the order in which they are written.
  package private(set) var codes: [[Int]]

  package init(lengths: [Int]) {
    self.lengths = lengths
    codes = Array(repeating: [], count: lengths.count)
    let symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    guard symbols.count > 1 else { return }  // a single symbol takes no bits
    var code = 0
    var length = 0
    for symbol in symbols {
      code <<= lengths[symbol] - length
      length = lengths[symbol]
      codes[symbol] = (0..<length).reversed().map { code >> $0 & 1 }
      code += 1
    }
  }

  /// A random complete code for the given symbols, with lengths of at most 15.
  package static func random(of symbols: [Int], alphabet: Int, using random: inout SplitMix64) -> Self {
    var lengths = Array(repeating: 0, count: alphabet)
    if symbols.count == 1 {
      lengths[symbols[0]] = Int.random(in: 1...15, using: &random)
      return Self(lengths: lengths)
    }
    // The leaves of a tree that is split at random, more often where it is deep.
    var leaves = [0]
    while leaves.count < symbols.count {
      let place = Int.random(in: 0..<leaves.count, using: &random)
      let pick = Bool.random(using: &random) ? leaves.count - 1 : place
      guard leaves[pick] < 15 else { continue }
      leaves[pick] += 1
      leaves.append(leaves[pick])
    }
    for (symbol, length) in zip(symbols.shuffled(using: &random), leaves) { lengths[symbol] = length }
    return Self(lengths: lengths)
  }
}

extension BitWriter {
  /// Writes a symbol, with the first bit of its code first.
  package mutating func write(_ symbol: Int, in code: PlainPrefixCode) {
    for bit in code.codes[symbol] { write(bit, 1) }
  }

  /// Writes the code lengths: as a simple code if the symbols allow it, otherwise as a normal code without runs.
  package mutating func writeCode(_ code: PlainPrefixCode) {
    let symbols = code.lengths.indices.filter { code.lengths[$0] > 0 }
    if symbols.count <= 2, symbols.allSatisfy({ $0 < 256 }) {
      write(1, 1)
      write(symbols.count - 1, 1)
      write(1, 1)
      for symbol in symbols { write(symbol, 8) }
      return
    }
    // All lengths from 0 to 15 have four bits in the length code.
    write(0, 1)
    write(15, 4)
    for code in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] { write(code < 16 ? 4 : 0, 3) }
    write(0, 1)
    let lengthCode = PlainPrefixCode(lengths: Array(repeating: 4, count: 16))
    for length in code.lengths { write(length, in: lengthCode) }
  }
}

/// The five codes of a group.
package struct PlainGroup {
  package var green: PlainPrefixCode
  package var red: PlainPrefixCode
  package var blue: PlainPrefixCode
  package var alpha: PlainPrefixCode
  package var distance: PlainPrefixCode

  package init(
    green: PlainPrefixCode, red: PlainPrefixCode, blue: PlainPrefixCode, alpha: PlainPrefixCode,
    distance: PlainPrefixCode
  ) {
    (self.green, self.red, self.blue, self.alpha, self.distance) = (green, red, blue, alpha, distance)
  }

  package func write(to writer: inout BitWriter) {
    for code in [green, red, blue, alpha, distance] { writer.writeCode(code) }
  }
}

/// Writes an entropy-coded image, and stores the pixels so far as R G B A, red in the lowest byte.
package struct LosslessImageWriter {
  package let width: Int
  package let height: Int
  package let cacheBits: Int
  package private(set) var pixels: [UInt32] = []
  private var cache: [UInt32]

  package init(width: Int, height: Int, cacheBits: Int = 0) {
    self.width = width
    self.height = height
    self.cacheBits = cacheBits
    cache = Array(repeating: 0, count: 1 << cacheBits)
  }

  package var left: Int { width * height - pixels.count }

  private mutating func append(_ pixel: UInt32) {
    pixels.append(pixel)
    let (r, g, b, a) = (pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24)
    let product = 0x1E35_A7BD as UInt32 &* (a << 24 | r << 16 | g << 8 | b)
    if cacheBits > 0 { cache[Int(product >> UInt32(32 - cacheBits))] = pixel }
  }

  package mutating func literal(_ pixel: UInt32, _ group: PlainGroup, to writer: inout BitWriter) {
    writer.write(Int(pixel >> 8 & 255), in: group.green)
    writer.write(Int(pixel & 255), in: group.red)
    writer.write(Int(pixel >> 16 & 255), in: group.blue)
    writer.write(Int(pixel >> 24), in: group.alpha)
    append(pixel)
  }

  /// - Parameter code: a distance code of section 3.6.2.2.
  package mutating func copy(_ length: Int, code: Int, distance: Int, _ group: PlainGroup, to writer: inout BitWriter) {
    let (lengthPrefix, lengthBits, lengthExtra) = Self.prefix(of: length)
    writer.write(256 + lengthPrefix, in: group.green)
    writer.write(lengthExtra, lengthBits)
    let (prefix, bits, extra) = Self.prefix(of: code)
    writer.write(prefix, in: group.distance)
    writer.write(extra, bits)
    for _ in 0..<length { append(pixels[pixels.count - distance]) }
  }

  package mutating func cached(_ index: Int, _ group: PlainGroup, to writer: inout BitWriter) {
    writer.write(280 + index, in: group.green)
    append(cache[index])
  }

  /// The prefix symbol of a number, and its extra bits, computed from the RFC's table.
  package static func prefix(of value: Int) -> (prefix: Int, bits: Int, extra: Int) {
    var (prefix, bits, smallest) = (0, 0, 1)
    while value >= smallest + 1 << bits {
      smallest += 1 << bits
      prefix += 1
      bits = prefix < 4 ? 0 : (prefix - 2) / 2
    }
    return (prefix, bits, value - smallest)
  }
}
