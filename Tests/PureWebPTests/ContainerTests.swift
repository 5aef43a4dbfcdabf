import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that still files are parsed by libwebp's rules, which are less strict than the RFC's.
/// Expected values: files that the tests write chunk by chunk. `WorkedExampleTests` explains a chunk.
@Suite struct ContainerTests {
  private let frame = FileWriter.vp8Frame(width: 5, height: 3)

  private func headers(_ file: [UInt8], need: ImageHeaderParser.Need = .image) throws -> ImageHeaderParser {
    try WebP.DecodeError.converting(try ImageHeaderParser(ContiguousArray(file).span, need: need))
  }

  /// - Parameter offset: the position of the error. For a truncated file, the number of its bytes.
  private func expect(
    _ kind: WebP.ErrorKind, at offset: Int, _ file: [UInt8], need: ImageHeaderParser.Need = .image,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      _ = try headers(file, need: need)
    } throws: {
      let error = $0 as? WebP.DecodeError
      return error?.kind == kind && error?.offset == offset
    }
  }

  @Test func streamOfASimpleFileIsFound() throws {
    let found = try headers(FileWriter.riff(FileWriter.chunk("VP8 ", frame)))
    #expect(found.streamOffset == 20)
    #expect(found.info == WebP.ImageInfo(width: 5, height: 3, hasAlpha: false, isAnimated: false, compression: .lossy))
  }

  @Test func bareStreamsAreAccepted() throws {
    #expect(try headers(frame).streamOffset == 0)
    #expect(try headers(FileWriter.chunk("VP8 ", frame)).streamOffset == 8)
    let withAlpha = try headers(FileWriter.chunk("ALPH", [0, 1, 2]) + FileWriter.chunk("VP8 ", frame))
    #expect(withAlpha.alpha == 8..<11)
    #expect(withAlpha.streamOffset == 20)
    let lossless = FileWriter.vp8LHeader(width: 7, height: 9, alpha: true) + [0, 0, 0, 0, 0, 0, 0]
    #expect(try headers(lossless).info?.hasAlpha == true)
    #expect(try headers(FileWriter.chunk("VP8L", lossless)).info?.height == 9)
  }

  @Test func otherBytesAreNotWebP() {
    expect(.notWebP, at: 0, Array("not a picture at all".utf8))
    expect(.notWebP, at: 8, Array("RIFF".utf8) + [20, 0, 0, 0] + Array("WAVEfmt 0123456789".utf8))
    expect(.truncated, at: 0, [])
    expect(.truncated, at: 4, Array("RIFF".utf8))
  }

  @Test func extendedFilesMayContainAnyChunks() throws {
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x10, width: 5, height: 3), FileWriter.chunk("abcd", [1, 2, 3]),
      FileWriter.chunk("ALPH", [0, 1]), FileWriter.chunk("ICCP", [9]), FileWriter.chunk("ALPH", [0, 7]),
      FileWriter.chunk("VP8 ", frame), FileWriter.chunk("EXIF", [1]))
    let found = try headers(file)
    let alpha: [UInt8]? = found.alpha.map { Array(file[$0]) }
    #expect(alpha == [0, 7])
    #expect(found.info?.hasAlpha == true)
  }

  @Test func unknownChunksRequireVP8X() {
    expect(.corrupt, at: 12, FileWriter.riff(FileWriter.chunk("abcd", [1, 2]), FileWriter.chunk("VP8 ", frame)))
    expect(.corrupt, at: 0, FileWriter.vp8X(flags: 0, width: 5, height: 3) + FileWriter.chunk("VP8 ", frame))
  }

  @Test func canvasMustHaveTheSizeOfTheImage() {
    expect(
      .corrupt, at: 38, FileWriter.riff(FileWriter.vp8X(flags: 0, width: 6, height: 3), FileWriter.chunk("VP8 ", frame))
    )
    let eleven = FileWriter.chunk("VP8X", [UInt8](repeating: 0, count: 11))
    expect(.corrupt, at: 16, FileWriter.riff(eleven, FileWriter.chunk("VP8 ", frame)))
    let huge = FileWriter.vp8X(flags: 0, width: 1 << 24, height: 1 << 24)
    expect(.corrupt, at: 24, FileWriter.riff(huge, FileWriter.chunk("VP8 ", frame)))
  }

  @Test func wrongSizesAreHandledAsInLibwebp() throws {
    let chunk = FileWriter.chunk("VP8 ", frame)
    expect(.truncated, at: 38, FileWriter.riff(chunk, size: 4 + chunk.count + 1))
    expect(.corrupt, at: 4, FileWriter.riff(chunk, size: 11))
    let animation = FileWriter.vp8X(flags: 2, width: 5, height: 3)
    expect(.corrupt, at: 4, FileWriter.riff(animation, size: 11), need: .headers)
    #expect(throws: Never.self) { try headers(FileWriter.riff(animation, size: 12), need: .headers) }
    expect(.corrupt, at: 4, FileWriter.riff(chunk, size: 0xFFFF_FFF7))
    expect(.corrupt, at: 16, FileWriter.riff(FileWriter.chunk("VP8 ", frame, size: frame.count + 1)))
    expect(.truncated, at: 26, FileWriter.chunk("VP8 ", frame, size: frame.count + 1))
    // A chunk size that is too small is not an error, and neither are bytes after the file.
    #expect(try headers(FileWriter.riff(FileWriter.chunk("VP8 ", frame, size: 10))).streamSize == 10)
    #expect(try headers(FileWriter.riff(chunk) + [1, 2, 3]).streamOffset == 20)
    // In a file with a VP8X chunk, the RIFF size must include the padding byte of an odd chunk. Without VP8X, it need
    // not.
    let odd = FileWriter.vp8Frame(width: 5, height: 3, tokens: 3)
    let oddChunk = FileWriter.chunk("VP8 ", odd)
    let extended = FileWriter.vp8X(flags: 0, width: 5, height: 3)
    #expect(try headers(FileWriter.riff(oddChunk, size: 4 + oddChunk.count - 1)).streamSize == Int64(odd.count))
    expect(.corrupt, at: 34, FileWriter.riff(extended, oddChunk, size: 4 + extended.count + oddChunk.count - 1))
  }

  @Test func invalidFrameTagsAreRejected() {
    func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
      var frame = frame
      frame[index] = value
      return FileWriter.chunk("VP8 ", frame)
    }
    expect(.corrupt, at: 8, changed(0, frame[0] | 1))  // not a key frame
    expect(.corrupt, at: 8, changed(0, frame[0] | 4 << 1))  // version 4
    expect(.corrupt, at: 8, changed(0, frame[0] & ~0x10))  // not shown
    expect(.corrupt, at: 8, changed(3, 0))  // signature
    expect(.corrupt, at: 8, changed(6, 0))  // width 0
    expect(.corrupt, at: 8, changed(1, 0xFF))  // a first partition larger than the chunk
    #expect(throws: Never.self) { try headers(changed(0, frame[0] | 3 << 1)) }
    #expect(throws: Never.self) { try headers(changed(7, 0xC0)) }  // scale bits
  }

  @Test func infoNeedsOnlyTheHeaders() throws {
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x12, width: 50, height: 30), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]))
    let info = try #require(try headers(Array(file.prefix(30)), need: .headers).info)
    #expect(info == WebP.ImageInfo(width: 50, height: 30, hasAlpha: true, isAnimated: true, compression: .unspecified))
    let simple = FileWriter.riff(FileWriter.chunk("VP8 ", frame))
    #expect(try headers(Array(simple.prefix(30)), need: .headers).info?.width == 5)
    expect(.truncated, at: 29, Array(simple.prefix(29)), need: .headers)
  }
}
