import ConformanceSupport
import Testing

@testable import PureWebP

/// A few rows at a time against all at once: every vector.
@Suite struct RowDecoderTests {
  private static let files: [(name: String, bytes: [UInt8])] =
    ((try? Conformance.table("vectors.tsv", of: Reference.self)) ?? []).compactMap { reference in
      (try? Conformance.vector(reference.file)).map { (reference.file, Array($0)) }
    }

  /// What comes of the bytes: the pixels, or the error. Nil: it does not come in rows.
  private static func rows(_ bytes: [UInt8], _ options: WebP.DecodeOptions) -> (ContiguousArray<UInt8>, String)? {
    var pixels = ContiguousArray<UInt8>()
    do throws(WebP.DecodeError) {
      guard var decoder = try WebP.RowDecoder(bytes, options: options) else { return nil }
      var next = 0
      while try decoder.decodeRows() {
        #expect(decoder.rows.lowerBound == next)
        next = decoder.rows.upperBound
        for row in decoder.rows { pixels += decoder.pixels[decoder.place(of: row)] }
      }
      #expect(next == decoder.height)
      return (pixels, "")
    } catch {
      return ([], "\(error) \(error.status) \(error.finishedRows)")
    }
  }

  private static func whole(_ bytes: [UInt8], _ options: WebP.DecodeOptions) -> (ContiguousArray<UInt8>, String) {
    do throws(WebP.DecodeError) {
      return (try WebP.decode(bytes, options: options).pixels, "")
    } catch {
      return ([], "\(error) \(error.status) \(error.finishedRows)")
    }
  }

  @Test(arguments: [WebP.PixelFormat.rgb, .rgba, .bgraPremultiplied]) func rowsAreThoseOfThePicture(
    format: WebP.PixelFormat
  ) {
    #expect(Self.files.count > 500)
    var compared = 0
    for (name, bytes) in Self.files {
      var options = WebP.DecodeOptions()
      options.format = format
      for crop in [nil, WebP.Rectangle(x: 3, y: 5, width: 9, height: 70)] {
        for upsampling in [WebP.DecodeOptions.Upsampling.fancy, .nearest] {
          options.crop = crop
          options.upsampling = upsampling
          guard let rows = Self.rows(bytes, options) else { continue }
          #expect(rows == Self.whole(bytes, options), "\(name)")
          compared += 1
        }
      }
    }
    #expect(compared > 1000)
  }

  @Test func othersDoNotComeInRows() throws {
    let bytes = Array(try Conformance.vector("encoder-cwebp-q75.webp"))
    var options = WebP.DecodeOptions()
    #expect(try WebP.RowDecoder(bytes, options: options) != nil)
    options.flipsVertically = true
    #expect(try WebP.RowDecoder(bytes, options: options) == nil)
    options = .init()
    options.size = .fit(width: 20, height: 20)
    #expect(try WebP.RowDecoder(bytes, options: options) == nil)
    options = .init()
    options.format = .yuv
    #expect(try WebP.RowDecoder(bytes, options: options) == nil)
    let animation = Array(try Conformance.vector("animation-random-7.webp"))
    #expect(try WebP.RowDecoder(animation, options: .init()) == nil)
  }
}
