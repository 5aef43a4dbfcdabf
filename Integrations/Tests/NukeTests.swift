import Nuke
import Testing

@testable import NukeWebP

/// Proves that the decoder serves Nuke's pipeline, and that no cache key confuses two of its results.
/// Expected values: libwebp's checksums, and sizes computed by hand.
@Suite struct NukeTests {
  private static let url = URL(fileURLWithPath: "/image.webp")
  private let registry = ImageDecoderRegistry()

  init() { WebPImageDecoder.register(in: registry) }

  private func pipeline(
    _ data: Data, previewPolicy: ImagePipeline.PreviewPolicy = .disabled
  ) -> ImagePipeline {
    ImagePipeline(registry: registry, files: [Self.url: data], previewPolicy: previewPolicy)
  }

  private func request(maximumSide: Int? = nil, scale: Float = 1) -> ImageRequest {
    var request = ImageRequest(url: Self.url)
    request.scale = scale
    if let maximumSide { request.setMaximumSide(maximumSide) }
    return request
  }

  private func load(_ data: Data, _ request: ImageRequest? = nil) throws -> ImageContainer {
    try pipeline(data).images(for: [request ?? self.request()])[0]
  }

  @Test func imagesEqualLibwebp() throws {
    let container = try load(Reference.vector(image))
    #expect([container.image.cgImage?.checksum] == (try Reference.checksums(image)))
    #expect(container.type == .webp)
    #expect(container.data == nil)
  }

  @Test func animationsHaveTheFirstFrameAndTheData() throws {
    let data = try Reference.vector(animation)
    let container = try load(data)
    #expect(container.image.cgImage?.checksum == (try Reference.checksums(animation).first))
    #expect(container.data == data)
  }

  @Test func imagesAreOriented() throws {
    #expect(try load(Reference.data(rotated)).image.imageOrientation == .right)
  }

  /// Requests for several sizes and scales of one image, first at the same time, and then from the memory cache.
  @Test func sizesAndScalesAreNotConfused() throws {
    let pipeline = pipeline(try Reference.data(palette))
    let requests = [
      request(maximumSide: 64), request(), request(scale: 2), request(maximumSide: 320), request(maximumSide: 64),
    ]
    let expected = [[64, 48], [640, 480], [640, 480], [320, 240], [64, 48]]
    for _ in 1...2 {
      let containers = try pipeline.images(for: requests)
      #expect(containers.map { $0.image.cgImage?.size } == expected)
      #expect(containers.map(\.image.scale) == [1, 1, 2, 1, 1])
    }
  }

  /// Nuke makes thumbnails itself, also if a request had a maximum side before.
  @Test func thumbnailsAreMadeByNuke() throws {
    let data = try Reference.data(palette)
    var changed = request(maximumSide: 64)
    changed.thumbnail = .init(maxPixelSize: 100)
    var transformed = request(maximumSide: 64)
    transformed.thumbnail?.createThumbnailWithTransform = false
    for request in [changed, transformed] {
      let decoder = registry.decoder(for: ImageDecodingContext(request: request, data: data))
      #expect((decoder as? ImageDecoders.Default)?.thumbnail == request.thumbnail)
    }
  }

  /// The last rows follow from the last bytes, so the preview of all bytes but one has finished rows and zeros.
  @Test func previewsHaveTheRowsSoFar() throws {
    let pipeline = pipeline(try Reference.data(palette), previewPolicy: .incremental)
    let complete = try #require(try pipeline.images(for: [request(scale: 2)])[0].image.cgImage)
    #expect(pipeline.previews.count > 1)
    for preview in pipeline.previews {
      #expect(preview.isPreview && preview.image.scale == 2)
      let pixels = try #require(preview.image.cgImage?.pixels)
      let common = zip(pixels, complete.pixels).prefix { $0 == $1 }.count
      #expect(common > 0)
      #expect(pixels.dropFirst(common).allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: [ImagePipeline.PreviewPolicy.thumbnail, .disabled])
  func previewPolicyIsHonored(policy: ImagePipeline.PreviewPolicy) throws {
    let pipeline = pipeline(try Reference.data(palette), previewPolicy: policy)
    _ = try pipeline.images(for: [request()])
    #expect(pipeline.previews.isEmpty)
  }

  @Test func otherFormatsHaveOtherDecoders() {
    let context = ImageDecodingContext(request: request(), data: Data("GIF89a and more".utf8))
    #expect(registry.decoder(for: context) is ImageDecoders.Default)
  }
}
