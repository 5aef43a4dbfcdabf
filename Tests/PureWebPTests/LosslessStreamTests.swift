import ConformanceGenerator
import TestComparison
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that VP8L streams are decoded to their pixels, in one or two stages, and that corrupt ones are rejected.
/// Expected values: the pixels from which `PlainLosslessStream` writes the stream.
@Suite struct LosslessStreamTests {
  func parameters(
    _ bytes: ContiguousArray<UInt8>, width: Int, height: Int, isAlpha: Bool = true, isComplete: Bool = true
  ) throws -> LosslessParameters? {
    let stream = LosslessStream(start: 0, end: nil, isAlpha: isAlpha)
    return try LosslessParameters(stream, width: width, height: height, bytes.span, isComplete: isComplete)
  }

  func decoder(
    _ bytes: ContiguousArray<UInt8>, width: Int, height: Int, isAlpha: Bool = true, isComplete: Bool = true
  ) throws -> LosslessDecoder? {
    try parameters(bytes, width: width, height: height, isAlpha: isAlpha, isComplete: isComplete)
      .map { LosslessDecoder($0) }
  }

  /// Decodes a stream that arrives in steps. `counts` are the numbers of bytes that are available; the last is the
  /// length.
  ///
  /// - Returns: the pixels, and the number of finished rows after each step.
  func decode(
    _ stream: PlainLosslessStream, counts: [Int], batch: Int = InverseTransforms.batch
  ) throws -> (pixels: [UInt32], rows: [Int]) {
    let (width, height) = (stream.width, stream.height)
    var decoder: LosslessDecoder?
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: width * height * 4)
    var y = 0
    var rows: [Int] = []
    for count in counts {
      let isComplete = count == stream.bytes.count
      let input = ContiguousArray(stream.bytes.prefix(count))
      if decoder == nil { decoder = try self.decoder(input, width: width, height: height, isComplete: isComplete) }
      while decoder != nil, y < height {
        let end = min(height, y + batch)
        let there = min(end, try decoder!.decodeRows(upTo: end, input.span, isComplete: isComplete))
        if there > y {
          var span = bytes.mutableSpan
          decoder!.transformRows(y..<there, into: &span, offset: y * width * 4, stride: width * 4)
          y = there
        }
        if there < end { break }
      }
      rows.append(y)
    }
    return (PlainLosslessStream.pixels(bytes), rows)
  }

  /// Decodes in two stages, as several threads do: first the symbols, then the pixels.
  func decodePackedSymbols(
    _ stream: PlainLosslessStream, counts: [Int], batch: Int = InverseTransforms.batch
  ) throws -> [UInt32] {
    let (width, height) = (stream.width, stream.height)
    var read: LosslessParameters?
    let counts = try counts.drop {
      read = try self.parameters(
        ContiguousArray(stream.bytes.prefix($0)), width: width, height: height, isAlpha: false,
        isComplete: $0 == stream.bytes.count)
      return read == nil
    }
    let parameters = try #require(read)
    var parser = LosslessParser(parameters, packsSymbols: true)
    var (ring, transforms) = (parameters.ring(bufferedRows: InverseTransforms.batch), parameters.transforms)
    var symbols = PackedSymbols(capacity: 0)
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: width * height * 4)
    var y = 0
    for count in counts {
      let input = ContiguousArray(stream.bytes.prefix(count))
      while y < height {
        let end = min(height, y + batch)
        let isComplete = count == stream.bytes.count
        guard try parser.packRows(upTo: end, into: &symbols, input.span, isComplete: isComplete) >= end else { break }
        ring.unpack(&symbols, upTo: end * ring.rows.width)
        var span = bytes.mutableSpan
        transforms.undo(y..<end, of: ring.rows, into: &span, offset: y * width * 4, stride: width * 4)
        y = end
      }
    }
    return PlainLosslessStream.pixels(bytes)
  }

  private func expectEqual(_ stream: PlainLosslessStream, batch: Int = InverseTransforms.batch) throws {
    let decoded = try decode(stream, counts: [stream.bytes.count], batch: batch)
    expectSame(decoded.pixels, stream.pixels)
    #expect(try decodePackedSymbols(stream, counts: [stream.bytes.count], batch: batch) == stream.pixels)
  }

  @Test(arguments: PlainLosslessStream.Channels.allCases)
  func everyGroupFormIsDecoded(channels: PlainLosslessStream.Channels) throws {
    var random = SplitMix64(seed: 1)
    for values in [2, 4, 256] {
      for (width, height) in [(1, 1), (1, 40), (50, 1), (70, 33)] {
        for cacheBits in [0, 1, 5] {
          for copies in [false, true] {
            try expectEqual(
              PlainLosslessStream(
                width: width, height: height, cacheBits: cacheBits, channels: channels, values: values,
                copies: copies, using: &random))
          }
        }
      }
    }
  }

  /// The images have enough pixels for root tables with entries for two cache colors.
  @Test func shortCodesAreDecoded() throws {
    var random = SplitMix64(seed: 2)
    for cacheBits in [1, 2, 3, 5] {
      var tablesWithPairs = 0
      for round in 0..<3 {
        let stream = PlainLosslessStream(
          width: 230, height: 150, cacheBits: cacheBits, channels: .opaque, values: 2, copies: round % 2 == 0,
          using: &random)
        try expectEqual(stream)
        let decoder = try #require(try decoder(stream.bytes, width: 230, height: 150))
        let codes = decoder.parser.entropy.codes
        let root = codes.tables[codes.groups[0].green...].prefix(1 << codes.groups[0].rootBits)
        if root.contains(where: { $0.completesPixel && $0.moreColors == 1 }) { tablesWithPairs += 1 }
      }
      #expect(tablesWithPairs > 0)
    }
  }

  /// The images have enough pixels for root tables of the maximum size. Some codes are longer than the index of a root
  /// table. For both symbol loops, each low byte equals the lowest byte of its table entry.
  @Test(arguments: PlainLosslessStream.Channels.allCases)
  func largeRootTablesAreDecoded(channels: PlainLosslessStream.Channels) throws {
    var random = SplitMix64(seed: 24)
    for cacheBits in [0, 6] {
      let stream = PlainLosslessStream(
        width: 230, height: 150, cacheBits: cacheBits, channels: channels, values: 256, using: &random)
      try expectEqual(stream)
      var codes = try #require(try decoder(stream.bytes, width: 230, height: 150)).parser.entropy.codes
      #expect(codes.groups.count == 1 && codes.groups[0].rootBits == PrefixCodeGroup.mostBits)
      expectLowBytes(codes)
      var forPixels = codes
      forPixels.prepareForPixels()
      expectLowBytes(forPixels)
      codes.prepareForPacking()
      expectLowBytes(codes)
    }
  }

  private func expectLowBytes(_ codes: PrefixCodes) {
    let tables = codes.tables.span
    for group in codes.groups {
      let hasRedBlue = group.form == .opaque || group.form == .alpha
      for (root, lowBytes) in [(group.green, group.greenLowBytes)]
        + (hasRedBlue ? [(group.redBlue, group.redBlueLowBytes)] : [])
      {
        let lowBytes = tables.extracting(lowBytes..<lowBytes + 1 << (group.rootBits - 2))
        #expect((0..<1 << group.rootBits).allSatisfy { lowBytes.lowByte($0).word == tables[root + $0].word & 0xFF })
      }
    }
  }

  /// Some codes have ten bits, as many as the index of the largest root table. Others have up to 15 bits. One refill of
  /// the reader must suffice for all lookups until the next refill.
  @Test func longCodesAreDecoded() throws {
    var random = SplitMix64(seed: 10)
    let (cacheBits, tens) = (10, 280..<1046)
    let longer = [11, 12, 13, 14, 15, 15, 11, 12, 13, 14, 15, 15]
    var lengths = Array(repeating: 0, count: 280 + 1 << cacheBits)
    for symbol in Array(0..<256) + tens { lengths[symbol] = 10 }
    for (index, length) in longer.enumerated() { lengths[tens.upperBound + index] = length }
    func one(_ value: Int, of alphabet: Int) -> PlainPrefixCode {
      .random(of: [value], alphabet: alphabet, using: &random)
    }
    let group = PlainGroup(
      green: PlainPrefixCode(lengths: lengths), red: one(5, of: 256), blue: one(7, of: 256), alpha: one(255, of: 256),
      distance: one(0, of: 40))
    let (width, height) = (200, 170)
    let slots = (0..<width * height - 256).map { _ in
      Bool.random(using: &random)
        ? Int.random(in: tens, using: &random) - 280
        : tens.upperBound - 280 + longer.indices.randomElement(using: &random)!
    }
    try expectEqual(
      PlainLosslessStream(width: width, height: height, cacheBits: cacheBits, group) { image, writer in
        for green in 0..<256 { image.literal(0xFF07_0005 | UInt32(green) << 8, group, to: &writer) }
        for slot in slots { image.cached(slot, group, to: &writer) }
      })
  }

  /// Four colors of the cache and the literal after them take 60 bits, more than the reader holds.
  @Test func longCodesFollowPairsOfColors() throws {
    var random = SplitMix64(seed: 33)
    func code(_ alphabet: Int, _ lengths: [(symbols: Range<Int>, length: Int)]) -> PlainPrefixCode {
      var all = Array(repeating: 0, count: alphabet)
      for (symbols, length) in lengths { for symbol in symbols { all[symbol] = length } }
      return PlainPrefixCode(lengths: all)
    }
    func longest(from length: Int) -> [(symbols: Range<Int>, length: Int)] {
      (length...15).map { ($0..<$0 + 1, $0) } + [(16..<17, 15)]
    }
    let group = PlainGroup(
      green: code(280 + 32, longest(from: 6) + [(280..<311, 5)]), red: code(256, [(0..<32, 5)]),
      blue: code(256, [(0..<32, 5)]), alpha: code(256, longest(from: 1)), distance: code(40, [(0..<1, 1)]))
    try expectEqual(
      PlainLosslessStream(width: 230, height: 150, cacheBits: 5, group) { image, writer in
        while image.left > 0 {
          let (red, blue) = (UInt32.random(in: 0..<32, using: &random), UInt32.random(in: 0..<32, using: &random))
          image.literal(16 << 24 | red << 16 | 16 << 8 | blue, group, to: &writer)
          for _ in 0..<min(4, image.left) { image.cached(Int.random(in: 0..<31, using: &random), group, to: &writer) }
        }
      })
  }

  /// The ring has room for the largest distance in the codes of any group, for rows that are not transformed yet, and
  /// for copies that extend beyond the requested rows.
  @Test(arguments: [1, 4, 14, 24, 27, 30])
  func copiesReachTheMaximumDistance(distances: Int) throws {
    var random = SplitMix64(seed: 20)
    for (width, height) in [(1, 9000), (3, 7000), (640, 64)] {
      for cacheBits in [0, 1, 8] {
        let stream = PlainLosslessStream(
          width: width, height: height, cacheBits: cacheBits, groups: cacheBits == 1 ? 3 : 1, values: 9,
          distances: distances, lastDistances: 1, using: &random)
        try expectEqual(stream)
        let ring = try #require(try decoder(stream.bytes, width: width, height: height)).ring
        #expect(distances == 30 || width < 3 || ring.rows.size < width * height)
      }
    }
  }

  /// Symbols without bits are decoded in runs, even in an incomplete stream. Otherwise, the decoder would search for
  /// the end of the run again at each pixel.
  @Test func symbolsWithoutBitsAreDecodedInRuns() throws {
    let (width, height) = (2048, 24)
    let stream = PlainLosslessStream(copiesOfThePixelBefore: width, height: height)
    try expectEqual(stream)
    let decoder = try #require(try decoder(stream.bytes, width: width, height: height))
    var (ring, entropy, calls) = (decoder.ring, decoder.parser.entropy, 0)
    let isDecoded = try entropy.decodeRows(
      upTo: height, stream.bytes.span, endBit: 8 * stream.bytes.count, isComplete: false
    ) { (entropy, stop) throws(ErrorCause) in
      calls += 1
      try entropy.decodePixels(before: stop, into: &ring, stream.bytes.span)
    }
    #expect(isDecoded && calls <= height + 16)
  }

  @Test func manyGroupsAreDecoded() throws {
    var random = SplitMix64(seed: 3)
    for groups in [2, 5] {
      for channels in PlainLosslessStream.Channels.allCases {
        for cacheBits in [0, 4, 11] {
          try expectEqual(
            PlainLosslessStream(
              width: 61, height: 45, cacheBits: cacheBits, groups: groups, channels: channels, values: 9,
              using: &random))
        }
      }
    }
  }

  /// Pixels without bits are also inserted into the color cache.
  @Test func pixelsWithoutBitsAreCached() throws {
    var random = SplitMix64(seed: 23)
    for cacheBits in [1, 3] {
      for copies in [false, true] {
        try expectEqual(
          PlainLosslessStream(
            width: 61, height: 45, cacheBits: cacheBits, groups: 3, copies: copies, hasPlainGroup: true, using: &random)
        )
      }
    }
  }

  /// A group with few pixels has small tables, even if its codes are long. The memory of all tables is reserved in one
  /// step.
  @Test func manyGroupsForFewPixelsHaveSmallTables() throws {
    var random = SplitMix64(seed: 12)
    let stream = PlainLosslessStream(
      width: 128, height: 96, cacheBits: 11, groups: 100, channels: .opaque, using: &random)
    try expectEqual(stream)
    let decoder = try #require(try decoder(stream.bytes, width: 128, height: 96))
    var codes = decoder.parser.entropy.codes
    #expect(codes.groups.count > 50 && codes.groups.allSatisfy { $0.rootBits == 8 })
    let count = codes.tables.count
    #expect(codes.tables.capacity <= count + count / 4 + 8000)
    codes.prepareForPacking()
    #expect(codes.tables.count == count)
  }

  /// Groups that no block uses take no memory.
  @Test func unusedGroupsTakeNoMemory() throws {
    var random = SplitMix64(seed: 4)
    let stream = PlainLosslessStream(width: 64, height: 64, groups: 4, using: &random)
    let decoder = try #require(try decoder(stream.bytes, width: 64, height: 64))
    let codes = decoder.parser.entropy.codes
    #expect(codes.groups.count == 4)
    #expect(Set(codes.groupOfBlock) == [0, 1, 2, 3])
    // The tables belong to the four groups, and are contiguous.
    let starts = codes.groups.map(\.green)
    for (start, next) in zip(starts, starts.dropFirst()) { #expect(next - start < 6000) }
  }

  /// Every subset of transforms in every order.
  @Test func transformsAreInvertedInAnyOrder() throws {
    var random = SplitMix64(seed: 5)
    var all: [[Int]] = [[]]
    var last: [[Int]] = [[]]
    for _ in 0..<4 {
      last = last.flatMap { order in (0..<4).filter { !order.contains($0) }.map { order + [$0] } }
      all += last
    }
    #expect(all.count == 65)
    for order in all {
      for (width, height) in [(37, 21), (3, 5)] {
        let stream = PlainLosslessStream(width: width, height: height, kinds: order, using: &random)
        try expectEqual(stream, batch: [1, 3, InverseTransforms.batch].randomElement(using: &random)!)
      }
    }
  }

  /// The images have more pixels than the ring, and copies from the maximum distance.
  @Test(arguments: [(1024, 1300), (16384, 100), (7, 190000)])
  func ringWrapsAround(width: Int, height: Int) throws {
    var random = SplitMix64(seed: 6)
    let stream = PlainLosslessStream(width: width, height: height, cacheBits: 6, using: &random)
    try expectEqual(stream)
    let decoder = try #require(try decoder(stream.bytes, width: width, height: height))
    #expect(decoder.ring.rows.size < width * height)
  }

  @Test func distanceCodesMatchTheRFC() {
    for width in [1, 5, 1000] {
      for code in Array(1...130) + [1 << 20] {
        #expect(
          BackwardReference.distance(code: code, width: width) == PlainLosslessStream.distance(code, width: width))
      }
    }
  }
}
