// Streams that arrive incrementally, are truncated, or are corrupt.

import ConformanceGenerator
import TestComparison
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

extension LosslessStreamTests {
  /// The rows do not depend on how the bytes are divided, and finished rows do not change.
  @Test func rowsDoNotDependOnTheDivisionOfBytes() throws {
    var random = SplitMix64(seed: 7)
    for (kinds, cacheBits, channels) in [
      ([0, 2, 1], 0, .all), ([3], 3, .green), ([0], 0, .opaque), ([], 0, .none),
    ] as [([Int], Int, PlainLosslessStream.Channels)] {
      let stream = PlainLosslessStream(
        width: 23, height: 40, kinds: kinds, cacheBits: cacheBits, channels: channels, values: 12, using: &random)
      let all = stream.bytes.count
      let single = try decode(stream, counts: Array(0...all))
      expectSame(single.pixels, stream.pixels)
      #expect(single.rows == single.rows.sorted())
      try expectSame(decodePackedSymbols(stream, counts: Array(0...all)), stream.pixels)
      for first in stride(from: 0, to: all, by: 3) {
        let split = try decode(stream, counts: [first, all])
        expectSame(split.pixels, stream.pixels)
        try expectSame(decodePackedSymbols(stream, counts: [first, all]), stream.pixels)
        // The number of rows is the same as if the bytes had arrived one by one.
        #expect(split.rows[0] == single.rows[first])
      }
    }
  }

  /// All rows that the available bytes contain are finished.
  @Test func rowsAreNotDelayed() throws {
    var random = SplitMix64(seed: 8)
    let stream = PlainLosslessStream(width: 40, height: 30, values: 256, copies: false, using: &random)
    let rows = try decode(stream, counts: Array(0...stream.bytes.count)).rows
    // The last byte contains bits of the last row. Without this byte, only that row is missing.
    #expect(rows.suffix(2) == [29, 30])
  }

  @Test func incompleteStreamsAreTruncated() throws {
    var random = SplitMix64(seed: 9)
    let stream = PlainLosslessStream(width: 30, height: 20, kinds: [0, 3], cacheBits: 2, using: &random)
    for count in 8..<stream.bytes.count {
      let cut = ContiguousArray(stream.bytes.prefix(count))
      let error = try #require(throws: WebP.DecodeError.self) {
        var decoder = try #require(try decoder(cut, width: 30, height: 20, isAlpha: false))
        var pixels = ContiguousArray<UInt8>(repeating: 0, count: 30 * 8 * 4)
        var span = pixels.mutableSpan
        for rows in [0..<8, 8..<16, 16..<20] {
          _ = try decoder.decodeRows(upTo: rows.upperBound, cut.span, isComplete: true)
          decoder.transformRows(rows, into: &span, offset: 0, stride: 120)
        }
      }
      #expect(error.kind == .truncated && error.status == 3 && error.chunk == .vp8L && error.offset == count)
    }
  }

  /// libwebp's reader pads a stream to eight bytes with zeros. For a VP8L image, the eight bytes include the five bytes
  /// of the header. Together with this header, the stream of three bytes has eight bytes, so it is not padded, and its
  /// last symbol is incomplete.
  @Test func shortStreamsArePaddedToEightBytes() throws {
    var writer = BitWriter()
    writer.write(0, 3)  // no transform, no cache, one group
    for _ in 0..<4 { writer.write(0b1001, 4) }  // green, red, blue and alpha are 1
    writer.write(0b101, 3)  // distances: a symbol of eight bits, all zero
    let bytes = writer.bytes
    #expect(bytes.count == 3)
    var alpha = try #require(try decoder(bytes, width: 1, height: 1))
    #expect(try alpha.decodeRows(upTo: 1, bytes.span, isComplete: true) == 1)
    for (zeros, isEnough) in [(0, false), (1, true)] {
      let picture = FileWriter.vp8LHeader(width: 1, height: 1) + bytes + [UInt8](repeating: 0, count: zeros)
      let file = FileWriter.riff(FileWriter.chunk("VP8L", picture))
      #expect(((try? WebP.decode(file)) != nil) == isEnough)
    }
  }

  /// Each stream has one error.
  @Test func corruptStreamsAreRejected() throws {
    func fault(_ write: (inout BitWriter) -> Void) throws -> WebP.DecodeError.Cause {
      var writer = BitWriter()
      write(&writer)
      let bytes = writer.bytes + ContiguousArray(repeating: 0, count: 40)
      let error = try #require(throws: WebP.DecodeError.self) {
        var decoder = try #require(try decoder(bytes, width: 4, height: 4, isAlpha: false))
        _ = try decoder.decodeRows(upTo: 4, bytes.span, isComplete: true)
      }
      #expect(error.kind == .corrupt && error.status == 3 && error.chunk == .vp8L)
      return error.cause
    }
    func simple(_ symbol: Int, _ writer: inout BitWriter) {
      writer.write(0b101, 3)
      writer.write(symbol, 8)
    }
    func codes(green: [Int], distance: Int, _ writer: inout BitWriter) {
      var lengths = Array(repeating: 0, count: 280)
      for symbol in green { lengths[symbol] = 1 }
      writer.writeCode(PlainPrefixCode(lengths: lengths))
      for _ in 0..<3 { simple(255, &writer) }
      simple(distance, &writer)
    }
    #expect(try fault { $0.write(0b101_101, 6) } == .init(.duplicateTransform))
    for bits in [0, 12, 15] {
      #expect(
        try fault {
          $0.write(0b10, 2)
          $0.write(bits, 4)
        } == .init(.invalidColorCacheSize))
    }
    // First a copy from before the image, then a copy of more pixels than remain.
    #expect(
      try fault {
        $0.write(0, 3)
        codes(green: [0, 256], distance: 1, &$0)
        $0.write(1, 1)
      } == .init(.copyBeforeImage))
    #expect(
      try fault {
        $0.write(0, 3)
        codes(green: [0, 279], distance: 1, &$0)
        $0.write(0b10, 2)
      } == .init(.copyBeyondImage))
    // A code length may occur twice, but a code without symbols is invalid.
    #expect(
      try fault {
        $0.write(0, 3)
        codes(green: [0, 1], distance: 99, &$0)
      } == .init(.emptyPrefixCode))
  }

  @Test func headersAreValidated() throws {
    func header(_ bytes: ContiguousArray<UInt8>, at offset: Int) -> LosslessHeader? {
      LosslessHeader(bytes.span, at: offset)
    }
    let bytes: ContiguousArray<UInt8> = [9, 0x2F, 0xFF, 0x3F, 0x00, 0x10]
    let read = try #require(header(bytes, at: 1))
    #expect(read.width == 16384 && read.height == 1 && read.hasAlpha)
    #expect(header(bytes, at: 2) == nil)
    #expect(header(bytes, at: 0) == nil)
    var version = bytes
    version[5] |= 0x20
    #expect(header(version, at: 1) == nil)
  }
}
