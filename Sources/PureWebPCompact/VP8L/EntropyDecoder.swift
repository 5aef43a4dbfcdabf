// Entropy-coded images (RFC 9649, sections 3.6 and 3.7). One loop decodes all symbols. Each pixel is stored in the
// ring and inserted into the color cache.

internal import WebPFormat

/// Decodes the symbols of one image: the main image before the inverse transforms, or a sub-image with the data of a
/// transform or the entropy image. All positions are indices of a `LosslessMemory`.
struct EntropyDecoder {
  var reader: BitReader
  let width: Int
  /// The number of pixels.
  let count: Int
  /// The number of pixels that have been decoded.
  private(set) var decoded = 0

  /// The index of the ring. Pixel n is at `ring` + (n & `mask`), as A R G B with blue in the lowest byte.
  private(set) var ring = 0
  private(set) var mask = -1

  /// The position of the color cache (section 3.6.2.3), which has 2^`cacheBits` colors. 0 if there is none.
  private var cache = 0
  private(set) var cacheBits = 0

  /// The position of the prefix code groups. Each has five tables: green, red, blue, alpha and distance.
  private var groups = 0
  /// The position of the entropy image, in which red and green are the number of a block's group. 0 if there is only
  /// one group.
  private var entropyImage = 0
  /// The binary logarithm of the side of a block: 2...9.
  private var blockBits = 0
  private var blocksPerRow = 0
  /// Indicates whether red, blue and alpha have one value each in all groups. libwebp decodes an ALPH chunk into 8-bit
  /// samples only if this is true. Groups that no block uses count too, except if libwebp considers the number of
  /// groups suspicious.
  private(set) var onlyGreenHasBits = true
  /// The largest prefix symbol of a distance.
  private var largestPrefix = 0

  private static let literalSymbols = 256
  private static let greenSymbols = 256 + 24

  init(width: Int, height: Int, _ reader: BitReader) {
    self.reader = reader
    self.width = width
    count = width * height
  }

  /// Reads the size of the color cache and the prefix codes (sections 3.6.2.3 and 3.7.2).
  ///
  /// - Parameter isSubImage: true for a sub-image, which has no entropy image.
  @inline(never)
  mutating func readCodes(
    isSubImage: Bool, _ memory: inout LosslessMemory, _ bytes: Span<UInt8>, endBit: Int
  ) throws(ErrorCause) {
    if reader.take(1, bytes) == 1 {
      cacheBits = reader.take(4, bytes)
      guard 1...11 ~= cacheBits else { throw ErrorCause.invalidColorCacheSize }
      cache = memory.allocate(1 << cacheBits)
    }
    var groupCount = 1
    if !isSubImage, reader.take(1, bytes) == 1 {
      blockBits = reader.take(3, bytes) + 2
      blocksPerRow = blocks(in: width, bits: blockBits)
      let rows = blocks(in: count / width, bits: blockBits)
      entropyImage = try Self.subImage(
        width: blocksPerRow, height: rows, &memory, &reader, bytes, endBit: endBit)
      // The largest number determines the number of groups.
      for block in entropyImage..<memory.used {
        groupCount = max(groupCount, Self.groupNumber(memory.words[block]) + 1)
      }
    }
    groups = memory.allocate(5 * groupCount)
    // Until a group is read, its first word is 1 if a block uses the group.
    var words = memory.words.mutableSpan
    words[groups] = entropyImage == 0 ? 1 : 0
    for block in entropyImage..<(entropyImage == 0 ? 0 : groups) {
      words[groups + 5 * Self.groupNumber(words[block])] = 1
    }

    var codes = PrefixCodeReader(pixels: count / groupCount)
    let (firstTable, firstBit) = (memory.used, reader.bit)
    for group in 0..<groupCount {
      if group == 16 {
        // Reserves space for the remaining groups, because repeated growth would fragment the memory. The estimate
        // assumes that they are like the groups so far, and that the remaining bits limit their number.
        let bits = (reader.bit - firstBit) / 16
        let words = (memory.used - firstTable) / 16 * min(groupCount - 16, max(0, endBit - reader.bit) / bits)
        _ = memory.allocate(words)
        memory.used -= words
      }
      let position = groups + 5 * group
      // Groups that no block uses are read and discarded, so they take no memory.
      let isUsed = memory.words[position] == 1
      let kept = memory.used
      for code in 0..<5 {
        let symbolCount = code == 0 ? Self.greenSymbols + (1 << cacheBits & ~1) : code < 4 ? 256 : 40
        let table = try codes.read(symbolCount: symbolCount, &memory, &reader, bytes)
        words = memory.words.mutableSpan
        words[position + code] = UInt32(truncatingIfNeeded: table)
        if 1...3 ~= code, words[table] > 0, isUsed || groupCount <= min(1000, count) { onlyGreenHasBits = false }
      }
      if isUsed { largestPrefix = max(largestPrefix, codes.largestSymbol) } else { memory.used = kept }
    }
  }

  /// The number of a block's group in a pixel of the entropy image.
  private static func groupNumber(_ pixel: UInt32) -> Int { Int(pixel &>> 8 & 0xFFFF) }

  /// Allocates the ring of pixels. Its size suffices for the farthest backward reference that the prefix codes can
  /// encode.
  ///
  /// - Parameter bufferedRows: the number of rows that the ring retains until they are used.
  mutating func allocateRing(bufferedRows: Int, _ memory: inout LosslessMemory) {
    let farthest = BackwardReference.farthest(prefix: largestPrefix, width: width)
    let least = min(count, max(farthest, bufferedRows * width + BackwardReference.longest))
    var size = 1
    while size < least { size *= 2 }
    mask = size - 1
    ring = memory.allocate(min(size, count))
  }

  /// Reads a sub-image, which has no transforms and no entropy image.
  ///
  /// - Returns: the position of its pixels, row by row.
  @inline(never)
  static func subImage(
    width: Int, height: Int, _ memory: inout LosslessMemory, _ reader: inout BitReader, _ bytes: Span<UInt8>,
    endBit: Int
  ) throws(ErrorCause) -> Int {
    let image = memory.allocate(width * height)
    let kept = memory.used
    var decoder = EntropyDecoder(width: width, height: height, reader)
    decoder.ring = image
    defer { reader = decoder.reader }
    try decoder.readCodes(isSubImage: true, &memory, bytes, endBit: endBit)
    guard try decoder.decode(before: width * height, &memory, bytes, endBit: endBit) else {
      throw ErrorCause.truncatedImage
    }
    memory.used = kept
    return image
  }

  /// Decodes symbols until at least `stop` pixels are decoded. The last symbol may add more.
  ///
  /// - Returns: false if the bits do not suffice for the next symbol.
  @inline(never)
  mutating func decode(
    before stop: Int, _ all: inout LosslessMemory, _ bytes: Span<UInt8>, endBit: Int
  ) throws(ErrorCause) -> Bool {
    var memory = all.words.mutableSpan
    while decoded < stop {
      var group = groups
      var end = stop
      if entropyImage > 0 {
        // The blocks in this row that have the same group.
        let y = decoded / width
        var block = (decoded &- y &* width) &>> blockBits
        let row = entropyImage &+ (y &>> blockBits) &* blocksPerRow
        let number = Self.groupNumber(memory[row &+ block])
        group &+= 5 &* number
        repeat { block &+= 1 } while block < blocksPerRow && Self.groupNumber(memory[row &+ block]) == number
        end = min(stop, y &* width &+ min(width, block &<< blockBits))
      }
      guard try decodeRun(before: end, group, &memory, bytes, endBit: endBit) else { return false }
    }
    return true
  }

  /// Decodes the symbols of a run of pixels that have the same group.
  @inline(never)
  private mutating func decodeRun(
    before stop: Int, _ group: Int, _ memory: inout MutableSpan<UInt32>, _ bytes: Span<UInt8>, endBit: Int
  ) throws(ErrorCause) -> Bool {
    let (green, red) = (code(group, memory), code(group &+ 1, memory))
    let (blue, alpha) = (code(group &+ 2, memory), code(group &+ 3, memory))
    // If the code of alpha has no bits, alpha is constant.
    let constantAlpha = alpha.hasBits ? 0 : (alpha.find(0, &memory) &>> 7) &<< 24
    let (ring, mask, cacheBits, cache) = (self.ring, self.mask, self.cacheBits, self.cache)
    var bit = reader.bit
    var next = decoded
    defer {
      reader.bit = bit
      decoded = next
    }
    while next < stop {
      let start = bit
      // Green, red and blue of a literal take at most 45 bits.
      var window = reader.peek(at: bit, bytes)
      @inline(__always)
      func symbol(_ code: PrefixCode) -> Int {
        let entry = code.find(window, &memory)
        window &>>= UInt64(truncatingIfNeeded: entry)  // only the lowest six bits count: the length
        bit &+= Int(entry & 15)
        return Int(entry &>> 7)
      }
      let first = symbol(green)
      var pixel: UInt32
      if first < Self.literalSymbols {
        let red = symbol(red)
        let blue = symbol(blue)
        pixel = UInt32(truncatingIfNeeded: blue | first &<< 8 | red &<< 16) | constantAlpha
        if alpha.hasBits {
          window = reader.peek(at: bit, bytes)
          pixel |= UInt32(truncatingIfNeeded: symbol(alpha)) &<< 24
        }
      } else if first >= Self.greenSymbols {
        pixel = memory[cache &+ first &- Self.greenSymbols]
      } else {
        reader.bit = bit
        let length = value(prefix: first &- Self.literalSymbols, bytes)
        let entry = code(group &+ 4, memory).find(reader.peek(at: reader.bit, bytes), &memory)
        reader.bit &+= Int(entry & 15)
        reader.noticeEnd()
        let code = value(prefix: Int(entry &>> 7), bytes)
        bit = reader.bit
        if bit > endBit {
          bit = start
          return false
        }
        let distance = BackwardReference.distance(code: code, width: width)
        guard distance <= next else { throw ErrorCause.copyBeforeImage }
        guard length <= count &- next else { throw ErrorCause.copyBeyondImage }
        for index in 0..<length {
          let pixel = memory[ring &+ (next &- distance) & mask]
          memory[ring &+ next & mask] = pixel
          next &+= 1
          // Only the last `distance` pixels are inserted, because the copy repeats them.
          if cacheBits > 0, index >= length &- distance { memory[cache &+ slot(pixel)] = pixel }
        }
        continue
      }
      if bit > endBit {
        bit = start
        return false
      }
      memory[ring &+ next & mask] = pixel
      next &+= 1
      if cacheBits > 0 { memory[cache &+ slot(pixel)] = pixel }
    }
    return true
  }

  @inline(__always)
  private func code(_ position: Int, _ memory: borrowing MutableSpan<UInt32>) -> PrefixCode {
    PrefixCode(Int(memory[position]), memory)
  }

  /// The slot of a pixel in the color cache: the highest bits of a product (section 3.6.2.3).
  @inline(__always)
  private func slot(_ pixel: UInt32) -> Int {
    Int(truncatingIfNeeded: (0x1E35_A7BD &* pixel) &>> UInt32(truncatingIfNeeded: 32 &- cacheBits))
  }

  /// Reads the extra bits of a length or distance, and returns its value, which is at least 1.
  private mutating func value(prefix: Int, _ bytes: Span<UInt8>) -> Int {
    BackwardReference.value(prefix: prefix) { extraBits in reader.take(extraBits, bytes) }
  }
}
