import ConformanceSupport
import PureWebP
import TestComparison
import Testing

/// Proves that rows before the end of a truncated image are correct and are reported as finished.
/// Expected values: the same rows of the complete image.
@Suite struct DamagedRowsTests {
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z0.webp"])
  func rowsBeforeTheEndAreFinished(file: String) throws {
    let bytes = Array(try Conformance.vector(file))
    let whole = try WebP.decode(bytes)
    // A bare bitstream, because no container header states its size.
    let cut = Array(bytes[20..<bytes.count * 3 / 4])
    var pixels = [UInt8](repeating: 0, count: whole.pixels.count)
    var error: WebP.DecodeError?
    do throws(WebP.DecodeError) {
      var memory = pixels.mutableSpan
      try WebP.decode(cut.span, into: &memory)
    } catch let damage {
      error = damage
    }
    let rows = try #require(error).finishedRows
    #expect(error?.kind == .truncated && 0 < rows && rows < whole.height)
    let count = 4 * whole.width * rows
    expectSame(Array(pixels.prefix(count)), Array(whole.pixels.prefix(count)))
  }
}
