// The prefix codes of an image (RFC 9649, section 3.7.2): one group, or several, of which an entropy image names
// one for each block.

struct PrefixCodes {
  private(set) var tables = ContiguousArray<PrefixCodeEntry>()
  private(set) var groups = ContiguousArray<PrefixCodeGroup>()
  /// The blocks' groups, row by row; empty if there is one group.
  private(set) var groupOfBlock = ContiguousArray<UInt16>()
  /// The side of a block, as a power of two.
  private(set) var blockBits = 0
  private(set) var blocksPerRow = 0
  /// Whether red, blue and alpha have one value in each group that counts for it: libwebp's condition for decoding an
  /// alpha chunk into bytes. It counts unused groups as well, unless there are suspiciously many.
  private(set) var onlyGreenHasBits = true
  /// Of distances.
  private var largestPrefix = 0

  /// The entries that a group's tables seldom exceed.
  private static let usualEntries = 3072
  /// The entries that they ever need: green, red, blue, alpha, distances, red and blue together, heads.
  private static let mostEntries = 3378 + 3 * 630 + 410 + 1024 + 2 * 256

  /// Reads the one group that an image without an entropy image has.
  ///
  /// - Parameter pixels: of the image.
  @inline(never)
  init(
    single pixels: Int, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    var codes = PrefixCodeReader(cacheSize: cacheSize)
    tables.reserveCapacity(Self.usualEntries)
    groups.append(
      try PrefixCodeGroup(
        codes: &codes, cacheSize: cacheSize, pixels: pixels, to: &tables, &reader, bytes))
    onlyGreenHasBits = groups[0].onlyGreenHasBits
    largestPrefix = codes.largestSymbol
    fillLastRoot()
  }

  /// Reads whether there is an entropy image (section 3.7.2.2), and all groups.
  ///
  /// The image's highest number says how many groups there are. Groups that no block uses are read, and dropped: they
  /// cost no memory.
  init(
    width: Int, height: Int, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    guard reader.read(1, from: bytes) == 1 else {
      self = try PrefixCodes(single: width * height, cacheSize: cacheSize, &reader, bytes)
      return
    }
    blockBits = reader.take(3) + 2
    blocksPerRow = blocks(in: width, bits: blockBits)
    let image = try EntropyDecoder.subImage(
      width: blocksPerRow, height: blocks(in: height, bits: blockBits), &reader, bytes)

    // Red and green are the number of a block's group.
    groupOfBlock.reserveCapacity(image.count)
    var count = 0
    for index in image.indices {
      let number = UInt16(truncatingIfNeeded: image[index]).byteSwapped
      groupOfBlock.append(number)
      count = max(count, Int(number) + 1)
    }
    // Of the groups in `groups`; all ones for those that no block uses.
    var places = ContiguousArray<UInt32>(repeating: .max, count: count)
    var used = 0
    for number in groupOfBlock where places[Int(number)] == .max {
      places[Int(number)] = 0
      used += 1
    }

    var codes = PrefixCodeReader(cacheSize: cacheSize)
    let isCountSuspicious = count > 1000 || count > width * height
    let pixels = width * height / used
    groups.reserveCapacity(used)
    // Of room that stays empty, the system gives none.
    tables.reserveCapacity(min(used, 16) * Self.mostEntries)
    let start = reader.bit
    for number in 0..<count {
      if places[number] == .max {
        let onlyGreen = try PrefixCodeGroup.skip(codes: &codes, cacheSize: cacheSize, &reader, bytes)
        onlyGreenHasBits = onlyGreenHasBits && (onlyGreen || isCountSuspicious)
        continue
      }
      reserveTables(of: used, bitsSoFar: reader.bit - start, bitsLeft: bytes.count * 8 - reader.bit)
      places[number] = UInt32(truncatingIfNeeded: groups.count)
      groups.append(
        try PrefixCodeGroup(codes: &codes, cacheSize: cacheSize, pixels: pixels, to: &tables, &reader, bytes))
      onlyGreenHasBits = onlyGreenHasBits && groups[groups.count - 1].onlyGreenHasBits
      largestPrefix = max(largestPrefix, codes.largestSymbol)  // distances are a group's last code
    }
    for block in groupOfBlock.indices {
      groupOfBlock[block] = UInt16(truncatingIfNeeded: places[Int(groupOfBlock[block])])
    }
    fillLastRoot()
  }

  /// Makes room for the next group, if there may be too little: for all that are to come, if they are like those so far,
  /// and as far as the bytes would do. (Tables that are doubled as they grow are there twice at the end.)
  private mutating func reserveTables(of used: Int, bitsSoFar: Int, bitsLeft: Int) {
    let done = groups.count
    guard done >= 16, tables.capacity - tables.count < Self.mostEntries else { return }
    let toCome = min(used - done, max(0, bitsLeft) / (bitsSoFar / done))
    let entries = max(toCome * (tables.count / done + 1), tables.count / 4)
    tables.reserveCapacity(tables.count + entries + Self.mostEntries)
  }

  /// Each group's roots are looked at as if they were as large as can be. Behind the last one there may be too little.
  private mutating func fillLastRoot() {
    let last = groups[groups.count - 1]
    let missing = max(last.green, last.joint) + PrefixCodeEntry.withHeads(1 << PrefixCodeGroup.mostBits) - tables.count
    if missing > 0 { tables.append(contentsOf: repeatElement(.special, count: missing)) }
  }
}

extension PrefixCodes {
  /// Makes the roots ready for pixels: colours of the cache are paired, where there are so many pixels that it pays.
  mutating func prepareForPixels() {
    for group in groups where group.bits == PrefixCodeGroup.mostBits { group.pairColors(&tables) }
  }

  /// Makes the roots ready for words.
  mutating func prepareForWords() {
    for group in groups where group.form != .constant { group.prepareForWords(&tables) }
  }
}

extension PrefixCodes {
  /// How many pixels back a copy may reach.
  func farthestCopy(width: Int) -> Int { BackwardReference.farthest(prefix: largestPrefix, width: width) }

  /// The group of the pixel at `x`, `y`.
  @inline(__always)
  func group(x: Int, y: Int) -> PrefixCodeGroup {
    if groupOfBlock.isEmpty { return groups[0] }
    return groups[Int(groupOfBlock[(y &>> blockBits) &* blocksPerRow &+ x &>> blockBits])]
  }

  /// The group of the pixel at `x`, `y`, and where the blocks that have it end in the row.
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
