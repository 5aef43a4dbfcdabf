import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that alpha planes are unfiltered, decompressed and smoothed, and that invalid ALPH chunks are rejected.
/// Expected values: the filters of RFC 9649 applied byte by byte, and results of libwebp 1.6.0 for truncated streams.
@Suite struct AlphaTests {
  private func decode(
    _ chunk: ContiguousArray<UInt8>, width: Int, height: Int, rows: Int = 16
  ) throws(WebP.DecodeError) -> [UInt8] {
    // The decoder must ignore the bytes around the payload.
    let bytes = [3, 3, 3] + chunk + [255, 255]
    let decoder = try AlphaDecoder(
      bytes.span, payload: 3..<3 + chunk.count, width: width, height: height,
      crop: CropWindow(nil, width: width, height: height, isLossy: true), smoothing: 0)
    var alpha: [UInt8] = []
    var y = 0
    while y < height {
      let batch = y..<min(height, y + rows)
      try decoder.decode(batch, bytes.span)
      let start = decoder.windowStart
      alpha += decoder.window[start..<start + batch.count * width]
      y = batch.upperBound
    }
    return alpha
  }

  /// The filters of RFC 9649, section 2.7.1.2, byte by byte.
  private func unfiltered(_ bytes: [UInt8], filter: Int, width: Int, height: Int) -> [UInt8] {
    var alpha = bytes
    if filter == 0 { return alpha }
    for y in 0..<height {
      for x in 0..<width {
        let place = y * width + x
        let left = x > 0 ? Int(alpha[place - 1]) : 0
        let top = y > 0 ? Int(alpha[place - width]) : 0
        let corner = x > 0 && y > 0 ? Int(alpha[place - width - 1]) : 0
        let prediction =
          y == 0 ? left : x == 0 ? top : filter == 1 ? left : filter == 2 ? top : min(255, max(0, left + top - corner))
        alpha[place] = UInt8((Int(bytes[place]) + prediction) & 255)
      }
    }
    return alpha
  }

  @Test(arguments: 0..<4)
  func rawAlphaIsUnfiltered(filter: Int) throws {
    var random = SplitMix64(seed: UInt64(filter))
    for (width, height) in [(1, 1), (1, 9), (15, 4), (16, 3), (17, 40), (100, 21)] {
      let bytes = random.bytes(width * height)
      let expected = unfiltered(Array(bytes), filter: filter, width: width, height: height)
      for rows in [1, 5, 16, 40] {
        let chunk = [UInt8(filter << 2)] + bytes + [7, 7]
        try expectSame(decode(ContiguousArray(chunk), width: width, height: height, rows: rows), expected)
      }
    }
  }

  /// In these streams, the palette has one color, and the data end before the four extra bits of the last backward
  /// reference. libwebp 1.6 reads other bits instead. It accepts the copy if it exactly fills the remaining pixels.
  @Test func truncatedLastCopyIsAccepted() throws {
    let start: ContiguousArray<UInt8> = [
      1, 0xFF, 0x57, 0x80, 0x02, 0x14, 0x20, 0x02, 0x00, 0x41, 0xF8, 0x4F, 0x57, 0x50, 0x80, 0x02, 0x14, 0xA0,
    ]
    // Fifteen literals, then a copy of 33 pixels: first from the previous pixel, then from a row above the image.
    #expect(try decode(start + [1, 0, 0x80], width: 24, height: 2) == [UInt8](repeating: 0, count: 48))
    #expect(throws: WebP.DecodeError.self) { try decode(start + [0, 0, 0x80], width: 24, height: 2) }
    // Sixteen literals, and a copy of more than the 32 remaining pixels.
    let long: ContiguousArray<UInt8> = [
      1, 0xFF, 0x17, 0x11, 0x11, 0x00, 0x08, 0xC2, 0x7F, 0xBA, 0x82, 0x88, 0x48, 0x00, 0x80,
    ]
    #expect(throws: WebP.DecodeError.self) { try decode(long, width: 24, height: 2) }
  }

  @Test(arguments: [[], [3], [3, 2], [2, 0, 1]])
  func compressedAlphaIsTheGreenChannel(kinds: [Int]) throws {
    var random = SplitMix64(seed: 11)
    for filter in 0..<4 {
      for channels in PlainLosslessStream.Channels.allCases {
        let stream = PlainLosslessStream(
          width: 37, height: 45, kinds: kinds, channels: channels, values: 6, using: &random)
        let greens = stream.pixels.map { UInt8($0 >> 8 & 255) }
        let chunk = [UInt8(filter << 2 | 1)] + stream.bytes
        let alpha = try decode(ContiguousArray(chunk), width: 37, height: 45, rows: [7, 16, 33][filter % 3])
        #expect(alpha == unfiltered(greens, filter: filter, width: 37, height: 45))
      }
    }
  }

  /// Strengths above 100 are clamped.
  @Test func smoothingStrengthIsClamped() throws {
    let bytes = try Conformance.vector("options-smooth-61x45.webp")
    let images = try [50, 100, 200].map { strength in
      return try WebP.decode(bytes, options: .init(alphaSmoothing: strength))
    }
    let isFirstDifferent = images[0] != images[1]
    #expect(isFirstDifferent)
    expectSame(images[1], images[2])
  }

  /// Rows below the crop are not needed, with or without smoothing.
  @Test(arguments: [0, 100]) func missingAlphaBelowTheCropIsIgnored(smoothing: Int) throws {
    var random = SplitMix64(seed: 12)
    let (width, height) = (40, 64)
    let stream = PlainLosslessStream(width: width, height: height, channels: .green, using: &random)
    let seen = WebP.Rectangle(x: 0, y: 0, width: width, height: 16)
    let crop = try CropWindow(seen, width: width, height: height, isLossy: true)
    let rows = try [stream.bytes.count, stream.bytes.count / 2].map { count in
      let chunk = [1 << 4 | 1] + ContiguousArray(stream.bytes.prefix(count))
      let decoder = try AlphaDecoder(
        chunk.span, payload: 0..<chunk.count, width: width, height: height, crop: crop, smoothing: smoothing)
      try decoder.decode(0..<16, chunk.span)
      return decoder.window[decoder.windowStart..<decoder.windowStart + 16 * width]
    }
    #expect(rows[0] == rows[1])
  }

  @Test func invalidHeadersAreRejected() throws {
    func error(_ chunk: ContiguousArray<UInt8>) throws -> WebP.DecodeError {
      try #require(throws: WebP.DecodeError.self) { try decode(chunk, width: 2, height: 2) }
    }
    let chunks: [ContiguousArray<UInt8>] = [
      [], [0], [2, 1, 2, 3, 4], [3, 1, 2, 3, 4], [0x20, 1, 2, 3, 4], [0x40, 1, 2, 3, 4],
    ]
    for chunk in chunks {
      let found = try error(chunk)
      #expect(found.kind == .corrupt && found.status == 1 && found.chunk == .alph && found.offset == 3)
    }
    let short = try error([0, 1, 2, 3])
    #expect(short.kind == .truncated && short.status == 1 && short.chunk == .alph)
    // The VP8L stream in this chunk has the same transform twice.
    let twice = try error([1, 0b101_101, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(twice.kind == .corrupt && twice.status == 1 && twice.chunk == .alph)
    #expect(try decode([0x10, 1, 2, 3, 4], width: 2, height: 2) == [1, 2, 3, 4])
  }

  /// Streams that end within the last symbol, and the alpha values that libwebp 1.6.0 decodes from them.
  @Test(arguments: [
    (
      35, 3,
      """
      0107d0830214a0000580074892044992240912000000008000c000000000c00000000200a000200116000000000600000000\
      000014000000000000005c010000000000000000000018000000000000000024010000a000000000001a0000000000000000\
      000000000000400000000c180000000000000000006000002001000000000000000000000000001c16c0000080c12264a203\
      00000000000000a0c70de87f03fe33df9f
      """,
      """
      0000070700070700000007070007070000000707000707000000070700070700000007000007070007070000000707000707\
      0000000707000707000000070700070700000007000007070007070000000707000707000000070700070700000007070007\
      0700070000
      """
    ),
    (
      8, 9,
      """
      0107d0830214a0000580074892044992240900000000000000000c0000000000000014000c000000000000000014c0000000\
      00000020c10a000000040040010000c0000000140000000000000000000000004001004001001a000000000000001800c001\
      000000000000400100040000404001000000c040000000c013a001000000001c000000000000000000800000002001000000\
      00000000000000a0b20de87f03ae7ffffefdfbf7efdf
      """,
      """
      0700070000000707070007000000070707000700000007070700070000000707070007000000070707000700000007070700\
      07000000070707000700000007070700070707070700
      """
    ),
    // The data end after the distance symbol. libwebp takes the missing extra bits from the start of its 64-bit window.
    (
      16, 6,
      """
      01ffd08388080848d21cf57f346044acc35d5df5d555577d5d5df5ff57fd5f775fffd7d7ff7d5d97
      """,
      """
      150e150e0e0e150e0e0e0e15150e0e0e150e0e0e0e150e0e0e0e15150e0e150e0e0e150e0e0e0e151515151515150e0e0e0e\
      15151515150e0e150e150e15150e0e15151515150e0e15150e0e15151515150e15150e0e150e0e150e0e1515150e
      """
    ),
    // The data end within the distance symbol, which has no extra bits.
    (
      31, 3,
      """
      01ffd08388080848d21cf57f346044bcc0e1fbffbaeefafefeeabeabbabeefbeefaaafaaafffbb2f
      """,
      """
      15150e1515151515150e0e150e0e150e150e0e15150e1515150e1515150e0e0e150e15150e150e0e0e0e0e150e0e15150e15\
      150e150e15150e15150e150e0e0e0e15150e0e0e0e0e0e15150e0e15151515150e150e15150e0e15150e15
      """
    ),
  ])
  func truncatedLastSymbolIsDecodedAsInLibwebp(width: Int, height: Int, chunk: String, alpha: String) throws {
    func bytes(_ text: String) -> [UInt8] {
      stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }
    #expect(try decode(ContiguousArray(bytes(chunk)), width: width, height: height) == bytes(alpha))
    // One more missing byte is an error.
    let error = try #require(throws: WebP.DecodeError.self) {
      try decode(ContiguousArray(bytes(chunk).dropLast(2)), width: width, height: height)
    }
    #expect(error.kind == .truncated && error.status == 3)
  }
}
