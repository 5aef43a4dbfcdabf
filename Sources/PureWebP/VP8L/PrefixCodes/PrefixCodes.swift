// The prefix codes of an image (RFC 9649, section 3.7.2): one group, or several groups and an entropy image that
// assigns one of them to each block.

internal import WebPFormat

struct PrefixCodes {
  private(set) var tables = ContiguousArray<PrefixCodeEntry>()
  private(set) var groups = ContiguousArray<PrefixCodeGroup>()
  /// The group of each block, row by row. Empty if there is only one group.
  private(set) var groupOfBlock = ContiguousArray<UInt16>()
  /// The side of a block, as a power of two.
  private(set) var blockBits = 0
  private(set) var blocksPerRow = 0
  /// Indicates whether red, blue and alpha have one value each in all groups. libwebp decodes an ALPH chunk into 8-bit
  /// samples only if this is true. Groups that no block uses count too, except if libwebp considers the number of
  /// groups suspicious.
  private(set) var onlyGreenHasBits = true
  /// The largest prefix symbol of a distance.
  private var largestPrefix = 0

  /// The number of entries that the tables of a group rarely exceed.
  private static let usualEntries = 3072
  /// The maximum number of entries of a group: the tables of green, of red, blue and alpha, of distances, of red and
  /// blue together, and the low bytes of two root tables (see PrefixCodeEntry.swift).
  ///
  /// zlib's program `enough` computes the maximum for a table of codes of up to 15 bits, over all complete codes:
  ///
  ///     table                   symbols       root bits    entries
  ///     green                   280 + 2¹¹     10           3378
  ///     red, blue or alpha      256           8            630
  ///     distances               40            8            410
  private static let mostEntries = 3378 + 3 * 630 + 410 + 1024 + 2 * 256

  /// Reads the group of an image without an entropy image.
  ///
  /// - Parameter pixels: the number of pixels of the image.
  @inline(never)
  init(
    single pixels: Int, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    var codes = PrefixCodeReader(cacheSize: cacheSize)
    tables.reserveCapacity(Self.usualEntries)
    groups.append(
      try PrefixCodeGroup(
        codes: &codes, cacheSize: cacheSize, pixels: pixels, to: &tables, &reader, bytes))
    onlyGreenHasBits = groups[0].onlyGreenHasBits
    largestPrefix = codes.largestSymbol
    fillLastRoot()
  }

  /// Reads the entropy image, if there is one (section 3.7.2.2), and all groups.
  ///
  /// The largest number in the entropy image determines the number of groups. Groups that no block uses are read and
  /// discarded, so they take no memory.
  init(
    width: Int, height: Int, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    guard reader.read(1, from: bytes) == 1 else {
      self = try PrefixCodes(single: width * height, cacheSize: cacheSize, &reader, bytes)
      return
    }
    blockBits = reader.take(3) + 2
    blocksPerRow = blocks(in: width, bits: blockBits)
    let image = try EntropyDecoder.subImage(
      width: blocksPerRow, height: blocks(in: height, bits: blockBits), &reader, bytes)

    // Red and green store the number of a block's group.
    groupOfBlock.reserveCapacity(image.count)
    var count = 0
    for index in image.indices {
      let number = UInt16(truncatingIfNeeded: image[index]).byteSwapped
      groupOfBlock.append(number)
      count = max(count, Int(number) + 1)
    }
    // The index in `groups` by group number. All ones if no block uses the group.
    var indexes = ContiguousArray<UInt32>(filledWith: .max, count: count)
    var used = 0
    for number in groupOfBlock where indexes[Int(number)] == .max {
      indexes[Int(number)] = 0
      used += 1
    }

    var codes = PrefixCodeReader(cacheSize: cacheSize)
    let isCountSuspicious = count > 1000 || count > width * height
    let pixels = width * height / used
    groups.reserveCapacity(used)
    // Unused capacity costs little, because untouched pages are not committed.
    tables.reserveCapacity(min(used, 16) * Self.mostEntries)
    let start = reader.bit
    for number in 0..<count {
      if indexes[number] == .max {
        let onlyGreen = try PrefixCodeGroup.skip(codes: &codes, cacheSize: cacheSize, &reader, bytes)
        onlyGreenHasBits = onlyGreenHasBits && (onlyGreen || isCountSuspicious)
        continue
      }
      reserveTables(of: used, bitsSoFar: reader.bit - start, bitsLeft: bytes.count * 8 - reader.bit)
      indexes[number] = UInt32(truncatingIfNeeded: groups.count)
      groups.append(
        try PrefixCodeGroup(codes: &codes, cacheSize: cacheSize, pixels: pixels, to: &tables, &reader, bytes))
      onlyGreenHasBits = onlyGreenHasBits && groups[groups.count - 1].onlyGreenHasBits
      largestPrefix = max(largestPrefix, codes.largestSymbol)  // distances are a group's last code
    }
    for block in groupOfBlock.indices {
      groupOfBlock[block] = UInt16(truncatingIfNeeded: indexes[Int(groupOfBlock[block])])
    }
    fillLastRoot()
  }

  /// Reserves space if the next group might not fit. An array that grows by doubling would finally occupy twice the
  /// memory. The estimate assumes that the remaining groups are like the groups so far, and that the remaining bytes
  /// limit their number.
  private mutating func reserveTables(of used: Int, bitsSoFar: Int, bitsLeft: Int) {
    let done = groups.count
    guard done >= 16, tables.capacity - tables.count < Self.mostEntries else { return }
    let remaining = min(used - done, max(0, bitsLeft) / (bitsSoFar / done))
    let entries = max(remaining * (tables.count / done + 1), tables.count / 4)
    tables.reserveCapacity(tables.count + entries + Self.mostEntries)
  }

  /// Appends the entries that the last root table lacks. The symbol loops access each root table as if it had the
  /// maximum size.
  private mutating func fillLastRoot() {
    let last = groups[groups.count - 1]
    let missing =
      max(last.green, last.redBlue) + PrefixCodeEntry.countWithLowBytes(1 << PrefixCodeGroup.mostBits) - tables.count
    if missing > 0 { tables.append(contentsOf: repeatElement(.separateLookups, count: missing)) }
  }
}

extension PrefixCodes {
  /// Prepares the root tables for writing pixels: merges pairs of cache colors in groups with many pixels.
  mutating func prepareForPixels() {
    for group in groups where group.rootBits == PrefixCodeGroup.mostBits { group.pairColors(&tables) }
  }

  /// Prepares the root tables for packing symbols.
  mutating func prepareForPacking() {
    for group in groups where group.form != .constant { group.prepareForPacking(&tables) }
  }
}

extension PrefixCodes {
  /// The maximum distance of a copy, in pixels.
  func farthestCopy(width: Int) -> Int { BackwardReference.farthest(prefix: largestPrefix, width: width) }

  /// The group of the pixel at `x`, `y`.
  @inline(__always)
  func group(x: Int, y: Int) -> PrefixCodeGroup {
    if groupOfBlock.isEmpty { return groups[0] }
    return groups[Int(groupOfBlock[(y &>> blockBits) &* blocksPerRow &+ x &>> blockBits])]
  }

  /// The group of the pixel at `x`, `y`, and the end of its run: the column after the last consecutive block with the
  /// same group.
  @inline(__always)
  func run(x: Int, y: Int, width: Int) -> (group: PrefixCodeGroup, end: Int) {
    if groupOfBlock.isEmpty { return (groups[0], width) }
    let row = (y &>> blockBits) &* blocksPerRow
    var block = x &>> blockBits
    let group = groupOfBlock[row &+ block]
    repeat { block &+= 1 } while block < blocksPerRow && groupOfBlock[row &+ block] == group
    return (groups[Int(group)], min(width, block &<< blockBits))
  }
}

/// The code lengths of the symbols that occur, in the order of the alphabet.
struct PrefixCodeLengths {
  static let longest = 15

  /// For each symbol that occurs: symbol · 16 + length.
  private(set) var used: ContiguousArray<UInt16>
  private(set) var usedCount = 0
  /// The number of codes of each length.
  private(set) var counts = ContiguousArray<Int>(filledWith: 0, count: longest + 1)

  /// - Parameter symbolCount: the size of the largest alphabet, at most 4096.
  init(symbolCount: Int) {
    precondition(symbolCount <= 1 << 12)
    used = ContiguousArray(filledWith: 0, count: symbolCount)
  }

  /// The symbol, if there is only one.
  var single: Int? { usedCount == 1 ? Int(used[0] >> 4) : nil }

  /// The largest symbol. At least one must have been appended.
  var largestSymbol: Int { Int(used[usedCount - 1] >> 4) }

  mutating func removeAll() {
    usedCount = 0
    for length in counts.indices { counts[length] = 0 }
  }

  /// Appends a symbol with a code of `length` bits, 1 to 15. It must be larger than the symbols before it.
  @inline(__always)
  mutating func append(_ symbol: Int, length: Int) {
    used[usedCount] = UInt16(truncatingIfNeeded: symbol &<< 4 | length)
    usedCount &+= 1
    counts[length] &+= 1
  }

  /// Checks that the lengths form a complete code.
  ///
  /// - Returns: the length of the longest code, or 0 if there is only one symbol, which takes no bits.
  func checkedLongest() throws(ErrorCause) -> Int {
    guard usedCount != 1 else { return 0 }
    guard usedCount > 0 else { throw ErrorCause.emptyPrefixCode }
    var longest = 0
    var space = 1 << Self.longest
    for length in 1...Self.longest where counts[length] > 0 {
      space -= counts[length] << (Self.longest - length)
      longest = length
    }
    guard space == 0 else { throw ErrorCause.invalidPrefixCode }
    return longest
  }
}
