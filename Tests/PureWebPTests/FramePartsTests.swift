import ConformanceGenerator
import PureWebP
import TestComparison
import TestSupport
import Testing

/// Proves that the rows of incomplete frames are correct, and that a frame is delivered in at most sixteen parts.
/// Expected values: the same rows of the complete frame.
@Suite struct FramePartsTests {
  private static func noise(width: Int, height: Int) -> PixelGrid {
    var random = SplitMix64(seed: 25)
    let noise = (0..<width * height).map { _ in
      SIMD4(UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random), 0, 255)
    }
    return PixelGrid(width: width, height: height, pixels: noise)
  }

  private static func file(width: Int, height: Int) -> [UInt8] {
    let frame = PlainFrame(picture: noise(width: width, height: height))
    return FileWriter.animation(width: width, height: height, [frame])
  }
  private static let file = file(width: 20, height: 96)

  /// The number of rows that the decoder reports first for a still image of this size.
  private static func firstRows(width: Int, height: Int) throws -> Int? {
    var decoder = WebP.StreamingDecoder()
    for byte in FileWriter.vp8L(noise(width: width, height: height)) {
      if case .rows(let rows) = try decoder.append([byte]) { return rows.count }
    }
    return nil
  }

  private func parts(
    _ file: [UInt8], _ options: WebP.DecodeOptions = WebP.DecodeOptions()
  ) throws -> [(image: WebP.Image, rows: Range<Int>)] {
    var stream = WebP.StreamingAnimation(options: options)
    var parts: [(image: WebP.Image, rows: Range<Int>)] = []
    for byte in file {
      try stream.append(CollectionOfOne(byte))
      if let part = try stream.partialFrame() { parts.append(part) }
    }
    _ = try? stream.finish()
    if let part = try stream.partialFrame() { parts.append(part) }
    #expect(try stream.partialFrame() == nil)
    return parts
  }

  private func rows(_ image: WebP.Image, _ rows: Range<Int>) -> ArraySlice<UInt8> {
    Array(image.pixels)[(rows.lowerBound * image.stride)..<(rows.upperBound * image.stride)]
  }

  /// The reported rows refer to the image after cropping, scaling and flipping.
  @Test(
    arguments: [nil, WebP.Rectangle(x: 3, y: 10, width: 9, height: 41)],
    [nil, WebP.OutputSize.exact(width: 7, height: 30), .exact(width: 30, height: 130)])
  func reportedRowsMatchTheImage(crop: WebP.Rectangle?, size: WebP.OutputSize?) throws {
    for (isFlipped, format) in [(false, WebP.PixelFormat.rgba), (true, .rgba), (true, .rgba4444)] {
      var options = WebP.DecodeOptions()
      (options.crop, options.size, options.flipsVertically, options.format) = (crop, size, isFlipped, format)
      let whole = try WebP.Animation(Self.file, options: options).frame(at: 0).image
      // On one thread the decoder stores a few rows of the frame. On several threads it stores all rows.
      for threads in [WebP.Threads.one, .atMost(4)] {
        options.threads = threads
        try expectRows(parts(Self.file, options), of: whole, options)
      }
    }
  }

  private func expectRows(
    _ parts: [(image: WebP.Image, rows: Range<Int>)], of whole: WebP.Image, _ options: WebP.DecodeOptions
  ) {
    #expect(parts.count > 3)
    for (image, returnedRows) in parts {
      let painted = (0..<image.height).filter { row in rows(image, row..<row + 1).contains { $0 != 0 } }
      let end = options.flipsVertically ? painted.last : painted.first
      #expect(end == (options.flipsVertically ? returnedRows.upperBound - 1 : returnedRows.lowerBound))
      #expect(end == (options.flipsVertically ? image.height - 1 : 0))
      if options.size == nil { #expect(painted == Array(returnedRows)) }
      #expect(painted.count >= returnedRows.count && painted.count - returnedRows.count < 4)
      expectSame(rows(image, returnedRows), rows(whole, returnedRows))
    }
  }

  /// In every frame, the first part has a sixteenth of the canvas's rows and begins with the first row.
  @Test func partsBeginWithTheFirstRow() throws {
    let rows = try #require(try Self.firstRows(width: 40, height: 400))
    let frame = PlainFrame(picture: Self.noise(width: 40, height: 16 * rows))
    let file = FileWriter.animation(width: 40, height: 16 * rows, [frame, frame])
    var stream = WebP.StreamingAnimation()
    var firstParts: [Range<Int>] = []
    var isFirst = true
    for byte in file {
      try stream.append(CollectionOfOne(byte))
      if let part = try stream.partialFrame(), isFirst { (firstParts, isFirst) = (firstParts + [part.rows], false) }
      if try stream.nextFrame() != nil { isFirst = true }
    }
    #expect(firstParts == [0..<rows, 0..<rows])
  }

  /// Composing a part may take as long as composing a frame, so a frame has at most sixteen parts.
  @Test func framesHaveFewParts() throws {
    let counts = try parts(Self.file(width: 4, height: 640)).map(\.rows.count)
    #expect(8...16 ~= counts.count)
    #expect(zip([0] + counts, counts).allSatisfy { $1 - $0 >= 40 })
  }

  /// Before `finish()`, a part has at least a sixteenth of the canvas's rows. After it, all remaining rows are
  /// returned.
  @Test(arguments: [5600, 8000]) func allRowsAreReportedAtTheEnd(count: Int) throws {
    let file = Self.file(width: 20, height: 400)
    let frame = try WebP.Animation(file).frames[0].bytes
    var decoder = WebP.StreamingDecoder()
    _ = try decoder.append(FileWriter.riff(Array(file[frame])).prefix(20 + count))
    let ends = try parts(Array(file[..<(frame.lowerBound + 8 + count)])).map(\.rows.upperBound)
    #expect(ends.last == decoder.finishedRows)
    let remaining = decoder.finishedRows - (ends.dropLast().last ?? 0)
    #expect(0 < remaining && remaining < 400 / 16)
  }
}
