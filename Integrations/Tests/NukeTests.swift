import Nuke
import Testing

@testable import NukeWebP

@Suite struct NukeTests {
  private func decoder(for data: Data, maximumSide: Int? = nil) throws -> any ImageDecoding {
    let registry = ImageDecoderRegistry()
    WebPImageDecoder.register(in: registry)
    var request = ImageRequest(url: nil)
    request.userInfo[.webPMaximumSide] = maximumSide
    return try #require(registry.decoder(for: ImageDecodingContext(request: request, data: data)))
  }

  @Test func imagesEqualLibwebp() throws {
    let data = try Reference.vector(image)
    let container = try decoder(for: data).decode(data)
    #expect([container.image.cgImage?.checksum] == (try Reference.checksums(image)))
    #expect(container.type == .webp)
    #expect(container.data == nil)
  }

  @Test func animationsHaveTheFirstFrameAndTheData() throws {
    let data = try Reference.vector(animation)
    let container = try decoder(for: data).decode(data)
    #expect(container.image.cgImage?.checksum == (try Reference.checksums(animation).first))
    #expect(container.data == data)
  }

  @Test func imagesAreScaledAndOriented() throws {
    let data = try Reference.data(palette)
    #expect(try decoder(for: data, maximumSide: 64).decode(data).image.cgImage?.size == [64, 48])
    let sideways = try Reference.data(rotated)
    #expect(try decoder(for: sideways).decode(sideways).image.imageOrientation == .right)
  }

  /// The last rows follow from the last bytes, so the preview of all bytes but one has finished rows and zeros.
  @Test func previewsHaveTheRowsSoFar() throws {
    let data = try Reference.data(palette)
    let decoder = try decoder(for: data)
    let complete = try #require(try decoder.decode(data).image.cgImage)
    var previews: [CGImage] = []
    for count in stride(from: 0, to: data.count, by: 500) {
      guard let preview = decoder.decodePartiallyDownloadedData(data.prefix(count)) else { continue }
      #expect(preview.isPreview)
      previews.append(try #require(preview.image.cgImage))
    }
    #expect(previews.count > 1)
    for preview in previews {
      let common = zip(preview.pixels, complete.pixels).prefix { $0 == $1 }.count
      #expect(common > 0)
      #expect(preview.pixels.dropFirst(common).allSatisfy { $0 == 0 })
    }
  }

  @Test func otherFormatsHaveOtherDecoders() {
    let registry = ImageDecoderRegistry()
    WebPImageDecoder.register(in: registry)
    let context = ImageDecodingContext(request: ImageRequest(url: nil), data: Data("GIF89a and more".utf8))
    #expect(registry.decoder(for: context) == nil)
  }
}
