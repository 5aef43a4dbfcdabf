import AlamofireImage
import Testing

@testable import AlamofireImageWebP

/// Proves that the serializer decodes for AlamofireImage's downloader.
/// Expected values: libwebp's checksums, and sizes computed by hand.
@Suite(.serialized)  // The acceptable content types are a static variable of the library, without a lock.
struct AlamofireImageTests {
  private func serializer(maximumSide: Int? = nil) -> ImageResponseSerializer {
    let downloader = ImageDownloader()
    downloader.useWebP(maximumSide: maximumSide)
    return downloader.imageResponseSerializer
  }

  @Test func imagesEqualLibwebp() throws {
    let decoded = try serializer().serializeImage(from: Reference.vector(image))
    #expect([decoded.cgImage?.checksum] == (try Reference.checksums(image)))
    #expect(ImageResponseSerializer.acceptableImageContentTypes.contains("image/webp"))
  }

  @Test func framesEqualLibwebp() throws {
    let decoded = try serializer().serializeImage(from: Reference.vector(animation))
    #expect(decoded.images?.map { $0.cgImage?.checksum } == (try Reference.checksums(animation)))
    #expect(abs(decoded.duration - 0.2) < 1e-9 && decoded.images?.first?.scale == 3)
  }

  @Test func imagesAreScaledAndOriented() throws {
    let scaled = try serializer(maximumSide: 64).serializeImage(from: Reference.data(palette))
    #expect(scaled.cgImage?.size == [64, 48])
    #expect(try serializer().serializeImage(from: Reference.data(rotated)).imageOrientation == .right)
  }

  @Test func otherFormatsAreDecodedByAlamofireImage() {
    #expect(throws: CocoaError.self) { try serializer().serializeImage(from: Data("GIF89a and more".utf8)) }
  }
}
