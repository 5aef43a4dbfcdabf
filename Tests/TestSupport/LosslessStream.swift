package import ConformanceGenerator

/// A random VP8L stream without its header, and its pixels as R G B A, red in the lowest byte.
package struct PlainLosslessStream {
  /// The channels that have more than one value.
  package enum Channels: CaseIterable { case none, green, opaque, all }

  package let width: Int
  package let height: Int
  package private(set) var writer = BitWriter()
  package private(set) var pixels: [UInt32] = []

  package var bytes: ContiguousArray<UInt8> { writer.bytes }

  /// - Parameters:
  ///   - kinds: types of transforms, in the order in which they are written.
  ///   - groups: the number of prefix code groups that the blocks use. Every second group is unused.
  ///   - values: the number of values of a varied channel. Few values have short codes.
  ///   - distances: the number of prefix symbols of distances.
  ///   - lastDistances: the same for the last of several groups. Equal to `distances` by default.
  ///   - hasPlainGroup: the first of several groups has only one literal.
  package init(
    width: Int, height: Int, kinds: [Int] = [], cacheBits: Int = 0, groups: Int = 1, channels: Channels = .all,
    values: Int = 256, copies: Bool = true, distances: Int = 40, lastDistances: Int? = nil,
    hasPlainGroup: Bool = false, using random: inout SplitMix64
  ) {
    self.width = width
    self.height = height
    var codedWidth = width
    var transforms: [(PlainTransform, width: Int)] = []
    for kind in kinds {
      writer.write(1, 1)
      writer.write(kind, 2)
      let transform = writeTransform(kind, width: codedWidth, using: &random)
      transforms.append((transform, codedWidth))
      codedWidth = transform.codedWidth(codedWidth)
    }
    writer.write(0, 1)

    writer.write(cacheBits > 0 ? 1 : 0, 1)
    if cacheBits > 0 { writer.write(cacheBits, 4) }
    let blockBits = 3
    let blocks = PlainTransform.blocks(codedWidth, blockBits)
    var groupOfBlock = [0]
    writer.write(groups > 1 ? 1 : 0, 1)
    if groups > 1 {
      writer.write(blockBits - 2, 3)
      groupOfBlock = (0..<blocks * PlainTransform.blocks(height, blockBits)).map { _ in
        2 * Int.random(in: 0..<groups, using: &random) + 1
      }
      let numbers = groupOfBlock.map { UInt32($0 >> 8 | ($0 & 255) << 8) | 0xFF07_0000 }
      writeSubImage(numbers, width: blocks, using: &random)
    }

    // The possible values of each group's channels.
    func some(_ isVaried: Bool) -> [Int] {
      isVaried
        ? Array((0..<256).shuffled(using: &random).prefix(values)) : [Int.random(in: 0...255, using: &random)]
    }
    var literals: [[[Int]]] = []
    var codes: [PlainGroup] = []
    let (plainGroup, lastGroup) = (hasPlainGroup ? groupOfBlock.min()! : -1, groupOfBlock.max()!)
    func distancesOfGroup(_ number: Int) -> Int {
      groups > 1 && number == lastGroup ? lastDistances ?? distances : distances
    }
    for number in 0...lastGroup {
      let channels = number == plainGroup ? .none : channels
      let literal = [
        some(channels == .opaque || channels == .all), some(channels != .none),
        some(channels == .opaque || channels == .all), some(channels == .all),
      ]
      let cache = cacheBits > 0 ? (0..<1 << cacheBits).map { 280 + $0 } : []
      let more = number == plainGroup ? [] : (copies ? Array(256..<280) : []) + cache
      let group = PlainGroup(
        green: .random(of: literal[1] + more, alphabet: 280 + cache.count, using: &random),
        red: .random(of: literal[0], alphabet: 256, using: &random),
        blue: .random(of: literal[2], alphabet: 256, using: &random),
        alpha: .random(of: literal[3], alphabet: 256, using: &random),
        distance: .random(of: Array(0..<distancesOfGroup(number)), alphabet: 40, using: &random))
      group.write(to: &writer)
      literals.append(literal)
      codes.append(group)
    }

    let largestCodes = (0...lastGroup).map { number in
      (0..<distancesOfGroup(number)).reduce(0) { $0 + 1 << max(0, ($1 - 2) / 2) }
    }
    var image = LosslessImageWriter(width: codedWidth, height: height, cacheBits: cacheBits)
    while image.left > 0 {
      let done = image.pixels.count
      let number = groups > 1 ? groupOfBlock[(done / codedWidth) >> 3 * blocks + (done % codedWidth) >> 3] : 0
      let kind = number == plainGroup ? 10 : Int.random(in: 0..<10, using: &random)
      let code = distanceCode(atMost: largestCodes[number], after: done, using: &random)
      let distance = Self.distance(code, width: codedWidth)
      if copies, kind < 10, distance <= done, kind == 0 || image.left > 5000 {
        let longest = min(image.left, image.left > 5000 ? 4096 : 60)
        let length = Int.random(in: 1...longest, using: &random)
        image.copy(length, code: code, distance: distance, codes[number], to: &writer)
      } else if cacheBits > 0, kind < 4 {
        image.cached(Int.random(in: 0..<1 << cacheBits, using: &random), codes[number], to: &writer)
      } else {
        let literal = literals[number].map { $0.randomElement(using: &random)! }
        image.literal(PlainTransform.pixel(PlainTransform.Channels(literal)), codes[number], to: &writer)
      }
    }
    pixels = image.pixels
    for (transform, width) in transforms.reversed() {
      pixels = transform.undone(pixels, width: width, height: height)
    }
  }

  /// An image with one group, no transforms, and a cache.
  ///
  /// - Parameter write: writes all pixels.
  package init(
    width: Int, height: Int, cacheBits: Int, _ group: PlainGroup,
    _ write: (inout LosslessImageWriter, inout BitWriter) -> Void
  ) {
    self.width = width
    self.height = height
    writer.write(0b10, 2)
    writer.write(cacheBits, 4)
    writer.write(0, 1)
    group.write(to: &writer)
    var image = LosslessImageWriter(width: width, height: height, cacheBits: cacheBits)
    write(&image, &writer)
    pixels = image.pixels
  }

  /// A random distance code, which refers to a neighbor, to the first pixel of the image, or to any pixel between them.
  private func distanceCode(atMost largest: Int, after done: Int, using random: inout SplitMix64) -> Int {
    let far = min(done, largest - 120)
    if far < 1 || Bool.random(using: &random) { return Int.random(in: 1...min(120, largest), using: &random) }
    return 120 + (Bool.random(using: &random) ? far : Int.random(in: 1...far, using: &random))
  }

  /// An image of one literal and copies of it. Each code of its two groups has one symbol, so the pixels take no bits.
  package init(copiesOfThePixelBefore width: Int, height: Int) {
    self.width = width
    self.height = height
    var random = SplitMix64(seed: 0)
    writer.write(0b100, 3)  // no transform, no cache, but groups
    writer.write(1, 3)  // for blocks of 8 × 8
    let blocks = PlainTransform.blocks(width, 3)
    let copies = Array(repeating: 1 << 8 as UInt32, count: blocks * PlainTransform.blocks(height, 3) - 1)
    writeSubImage([0] + copies, width: blocks, using: &random)
    func group(green: Int) -> PlainGroup {
      func code(_ symbol: Int, _ alphabet: Int) -> PlainPrefixCode {
        .random(of: [symbol], alphabet: alphabet, using: &random)
      }
      return PlainGroup(
        green: code(green, 280), red: code(5, 256), blue: code(7, 256), alpha: code(255, 256), distance: code(1, 40))
    }
    group(green: 3).write(to: &writer)
    group(green: 256).write(to: &writer)
    pixels = Array(repeating: 0xFF07_0305, count: width * height)
  }

  private mutating func writeTransform(
    _ kind: Int, width: Int, using random: inout SplitMix64
  ) -> PlainTransform {
    func pixel() -> UInt32 { .random(in: 0...UInt32.max, using: &random) }
    let bits = Int.random(in: 2...4, using: &random)
    let blocks = PlainTransform.blocks(width, bits)
    let count = blocks * PlainTransform.blocks(height, bits)
    switch kind {
    case 0, 1:
      writer.write(bits - 2, 3)
      let image = (0..<count).map { _ in pixel() }
      writeSubImage(image, width: blocks, using: &random)
      if kind == 1 { return .color(elements: image, blockBits: bits) }
      return .predictor(modes: image.map { Int($0 >> 8 & 15) }, blockBits: bits)
    case 2: return .subtractGreen
    default:
      let count = [1, 2, 3, 4, 5, 16, 17, 100, 256].randomElement(using: &random)!
      writer.write(count - 1, 8)
      let differences = (0..<count).map { _ in pixel() }
      writeSubImage(differences, width: count, using: &random)
      var table: [UInt32] = []
      for difference in differences {
        let last = PlainTransform.channels(table.last ?? 0)
        table.append(PlainTransform.pixel(last &+ PlainTransform.channels(difference)))
      }
      return .colorIndexing(table: table)
    }
  }

  /// Writes an image that consists of literals, with its own prefix codes.
  private mutating func writeSubImage(_ pixels: [UInt32], width: Int, using random: inout SplitMix64) {
    writer.write(0, 1)
    let channels = pixels.map(PlainTransform.channels)
    func code(_ channel: Int, alphabet: Int) -> PlainPrefixCode {
      .random(of: Array(Set(channels.map { $0[channel] })).sorted(), alphabet: alphabet, using: &random)
    }
    let group = PlainGroup(
      green: code(1, alphabet: 280), red: code(0, alphabet: 256), blue: code(2, alphabet: 256),
      alpha: code(3, alphabet: 256), distance: .random(of: [0], alphabet: 40, using: &random))
    group.write(to: &writer)
    var image = LosslessImageWriter(width: width, height: pixels.count / width)
    for pixel in pixels { image.literal(pixel, group, to: &writer) }
  }

  /// The pixels of RGBA bytes without padding.
  package static func pixels(_ bytes: ContiguousArray<UInt8>) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { index in
      let channels = SIMD4(bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3])
      return PlainTransform.pixel(PlainTransform.Channels(truncatingIfNeeded: channels))
    }
  }

  package static func distance(_ code: Int, width: Int) -> Int {
    code > 120 ? code - 120 : max(1, neighbors[code - 1].0 + neighbors[code - 1].1 * width)
  }

  /// RFC 9649, section 3.6.2.2: the columns to the left and the rows up of the distance codes 1 to 120.
  private static let neighbors = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2), (0, 3),
    (3, 0), (1, 3), (-1, 3), (3, 1), (-3, 1), (2, 3), (-2, 3), (3, 2), (-3, 2), (0, 4), (4, 0), (1, 4), (-1, 4),
    (4, 1), (-4, 1), (3, 3), (-3, 3), (2, 4), (-2, 4), (4, 2), (-4, 2), (0, 5), (3, 4), (-3, 4), (4, 3), (-4, 3),
    (5, 0), (1, 5), (-1, 5), (5, 1), (-5, 1), (2, 5), (-2, 5), (5, 2), (-5, 2), (4, 4), (-4, 4), (3, 5), (-3, 5),
    (5, 3), (-5, 3), (0, 6), (6, 0), (1, 6), (-1, 6), (6, 1), (-6, 1), (2, 6), (-2, 6), (6, 2), (-6, 2), (4, 5),
    (-4, 5), (5, 4), (-5, 4), (3, 6), (-3, 6), (6, 3), (-6, 3), (0, 7), (7, 0), (1, 7), (-1, 7), (5, 5), (-5, 5),
    (7, 1), (-7, 1), (4, 6), (-4, 6), (6, 4), (-6, 4), (2, 7), (-2, 7), (7, 2), (-7, 2), (3, 7), (-3, 7), (7, 3),
    (-7, 3), (5, 6), (-5, 6), (6, 5), (-6, 5), (8, 0), (4, 7), (-4, 7), (7, 4), (-7, 4), (8, 1), (8, 2), (6, 6),
    (-6, 6), (8, 3), (5, 7), (-5, 7), (7, 5), (-7, 5), (8, 4), (6, 7), (-6, 7), (7, 6), (-7, 6), (8, 5), (7, 7),
    (-7, 7), (8, 6), (8, 7),
  ]
}
