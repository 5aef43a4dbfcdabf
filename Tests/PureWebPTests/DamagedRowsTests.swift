import ConformanceSupport
import PureWebP
import Testing

/// Proves that rows before the end of a truncated image are correct and are reported as finished.
/// Expected values: the same rows of the complete image.
@Suite struct DamagedRowsTests {
  /// The rows that the error reports as finished equal the rows of the complete image.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z0.webp"])
  func rowsBeforeTheEndAreFinished(file: String) throws {
    let bytes = Array(try Conformance.vector(file))
    let whole = try WebP.decode(bytes)
    // The bare bitstream, which ends with its bytes.
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
    #expect(pixels.prefix(count).elementsEqual(whole.pixels.prefix(count)))
  }
}
