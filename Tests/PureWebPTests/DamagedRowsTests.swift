import ConformanceSupport
import PureWebP
import Testing

/// What is there of a picture that ends too early.
@Suite struct DamagedRowsTests {
  /// The rows that the error tells of are those of the whole picture.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z0.webp"])
  func rowsBeforeTheEndAreThere(file: String) throws {
    let bytes = Array(try Conformance.vector(file))
    let whole = try WebP.decode(bytes)
    // The naked stream, which ends where its bytes end.
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
