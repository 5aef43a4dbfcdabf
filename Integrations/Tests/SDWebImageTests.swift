import PureWebP
import SDWebImage
import Testing

@testable import SDWebImageWebP

/// Proves that the coder serves SDWebImage's manager, downloader and animated images.
/// Expected values: libwebp's checksums, sizes computed by hand, and the result without progressive loading.
@Suite struct SDWebImageTests {
  private let coders = SDImageCodersManager()

  init() { coders.addCoder(WebPCoder()) }

  private func decode(_ data: Data, _ options: [SDImageCoderOption: Any]? = nil) -> UIImage? {
    coders.decodedImage(with: data, options: options)
  }

  @Test func imagesEqualLibwebp() throws {
    let decoded = try #require(decode(try Reference.vector(image), [.decodeScaleFactor: CGFloat(2)]))
    #expect([decoded.cgImage?.checksum] == (try Reference.checksums(image)))
    #expect(decoded.scale == 2)
  }

  @Test func framesEqualLibwebpAndHaveTheirDurations() throws {
    let data = try Reference.vector(animation)
    let expected = try Reference.checksums(animation)
    #expect(decode(data)?.images?.map { $0.cgImage?.checksum } == expected)
    #expect(decode(data, [.decodeFirstFrameOnly: true])?.cgImage?.checksum == expected[0])
    let coder = try #require(WebPCoder(animatedImageData: data, options: nil))
    #expect(coder.animatedImageFrameCount == 5)
    #expect(coder.animatedImageLoopCount == 0)
    for index in [3, 1, 4] as [UInt] {
      #expect(coder.animatedImageFrame(at: index)?.cgImage?.checksum == expected[Int(index)])
      #expect(coder.animatedImageDuration(at: index) == 0.04)
    }
    #expect(coder.animatedImageFrame(at: 5) == nil && coder.animatedImageDuration(at: 5) == 0)
  }

  @Test func imagesAreScaledAndOriented() throws {
    let data = try Reference.data(palette)
    func size(_ options: [SDImageCoderOption: Any]) -> [Int]? { decode(data, options)?.cgImage?.size }
    #expect(size([.decodeThumbnailPixelSize: CGSize(width: 64, height: 1000)]) == [64, 48])
    #expect(size([.decodeThumbnailPixelSize: CGSize(width: CGFloat.infinity, height: 9999)]) == [640, 480])
    // A quarter of the pixels, 4 bytes each.
    #expect(size([.decodeScaleDownLimitBytes: 320 * 240 * 4]) == [320, 240])
    #expect(size([.decodeScaleDownLimitBytes: 1]) == [1, 1])
    let stretched = CGSize(width: 64, height: 1000)
    #expect(size([.decodeThumbnailPixelSize: stretched, .decodePreserveAspectRatio: false]) == [64, 480])
    // The box is for the upright image, whose width is the height of the stored one: 45.
    let upright = decode(try Reference.data(rotated), [.decodeThumbnailPixelSize: CGSize(width: 15, height: 1000)])
    #expect(upright?.imageOrientation == .right)
    #expect(upright?.cgImage?.size == [22, 15])
  }

  /// SDWebImage redraws images whose rows are not aligned (SDImageCoderHelper.m). Images with alpha are blended.
  @Test func imagesNeedNotBeRedrawn() throws {
    let opaque = try #require(decode(try Reference.data(palette))?.cgImage)
    #expect(opaque.alphaInfo == .noneSkipFirst && opaque.bytesPerRow == 2560)
    let odd = try #require(decode(try Reference.data(rotated))?.cgImage)
    #expect(odd.size == [67, 45] && odd.bytesPerRow == 288)
    let frames = try #require(decode(try Reference.vector(animation))?.images).compactMap(\.cgImage)
    #expect(frames.count == 5 && frames.allSatisfy { $0.bytesPerRow == 128 && $0.alphaInfo == .premultipliedFirst })
  }

  /// The limit is for all frames together.
  @Test func limitsIncludeAllFrames() throws {
    let data = try Reference.vector(animation)
    let whole = try #require(decode(data)?.images?[0].cgImage?.size)
    let limit = whole[0] * whole[1] * 5
    let frames = try #require(decode(data, [.decodeScaleDownLimitBytes: limit])?.images)
    #expect(frames.count == 5)
    let bytes = frames.compactMap(\.cgImage).reduce(0) { $0 + 4 * $1.width * $1.height }
    #expect((limit / 2)...limit ~= bytes)
  }

  @Test func previewsHaveTheRowsSoFar() throws {
    let data = try Reference.data(palette)
    let download = SDWebImageDownloaderOperation(coders: coders, isProgressive: true)
    let options = [SDImageCoderOption.decodeScaleFactor: CGFloat(2)]
    #expect(download.didReceive(data.prefix(20), options: options) == nil)
    let preview = try #require(download.didReceive(data[20..<data.count / 2], options: options))
    #expect(preview.scale == 2)
    let complete = try #require(download.didComplete(data[(data.count / 2)...], options: [options])[0]?.cgImage)
    let pixels = try #require(preview.cgImage?.pixels)
    let common = zip(pixels, complete.pixels).prefix { $0 == $1 }.count
    #expect(common > 0 && common < complete.pixels.count)
    #expect(pixels.dropFirst(common).allSatisfy { $0 == 0 })
  }

  /// Previews have the size of the image, as far as it is known.
  @Test func previewsAreLimited() throws {
    let data = try Reference.data(palette)
    let download = SDWebImageDownloaderOperation(coders: coders, isProgressive: true)
    let preview = download.didReceive(data.dropLast(), options: [.decodeScaleDownLimitBytes: 320 * 240 * 4])
    #expect(preview?.cgImage?.size == [320, 240])
  }

  @Test(
    arguments: ["Conformance/vectors/\(image).webp", "Conformance/vectors/\(animation).webp", palette, rotated],
    [
      [:], [.decodeFirstFrameOnly: true], [.decodeScaleDownLimitBytes: 5000],
      [.decodeThumbnailPixelSize: CGSize(width: 15, height: 1000), .decodeScaleFactor: CGFloat(3)],
    ] as [OptionsOfTest])
  func progressiveLoadingHasTheSameResult(path: String, options: OptionsOfTest) throws {
    let file = try Reference.data(path)
    for data in [file, file.prefix(file.count / 2)] {
      for usesAnimatedImageClass in [false, true] {
        let results = [false, true].map { isProgressive in
          let download = SDWebImageDownloaderOperation(
            coders: coders, isProgressive: isProgressive, usesAnimatedImageClass: usesAnimatedImageClass)
          _ = download.didReceive(data.prefix(100), options: options.values)
          _ = download.didReceive(data.dropFirst(100).dropLast(10), options: options.values)
          // Another caller shares the download.
          return download.didComplete(data.suffix(10), options: [options.values, [.decodeFirstFrameOnly: true]])
            .map { $0.map(Contents.init) }
        }
        #expect(results[0] == results[1])
        #expect((results[1][0] == nil) == (data.count < file.count))
      }
    }
  }

  /// The callers of one download finish its coder at the same time. A view plays frames meanwhile.
  @Test func callersShareACoder() throws {
    let data = try Reference.vector(animation)
    let expected = try Reference.checksums(animation)
    for _ in 0..<20 {
      let download = SDWebImageDownloaderOperation(coders: coders, isProgressive: true, usesAnimatedImageClass: true)
      _ = download.didReceive(data.prefix(100), options: [:])
      let images = download.didComplete(data[100...], options: Array(repeating: [:], count: 8))
      for image in images {
        let coder = try #require((image as? SDAnimatedImage)?.animatedCoder)
        #expect(coder.animatedImageData == data && coder.animatedImageFrameCount == 5)
        #expect(coder.animatedImageFrame(at: 4)?.cgImage?.checksum == expected[4])
      }
    }
    let coder = WebPCoder(incrementalWithOptions: nil)
    coder.updateIncrementalData(data, finished: true)
    coder.updateIncrementalData(data.prefix(50), finished: true)
    #expect(coder.animatedImageData == data)
  }

  @Test func imagesHaveFormatAndLoopCount() throws {
    let animated = try #require(decode(try Reference.vector("animation-anim-twice")))
    #expect(animated.sd_imageFormat == .PNG && animated.sd_imageLoopCount == 5)
    let still = try #require(decode(try Reference.data(palette)))
    #expect(still.sd_imageFormat == .PNG && still.sd_imageLoopCount == 0)
  }

  /// SDImageCache.m, line 272: an image without data is encoded in its own format. No coder of SDWebImage encodes WebP.
  @Test func imagesWithoutDataAreStoredOnDisk() throws {
    let cache = SDImageCache(coders: coders)
    let thumbnail = [SDImageCoderOption.decodeThumbnailPixelSize: CGSize(width: 20, height: 20)]
    for (data, options) in try [
      (Reference.data(palette), nil), (Reference.data(palette), thumbnail), (Reference.vector(image), thumbnail),
      (Reference.vector(animation), nil), (Reference.vector("animation-anim-twice"), thumbnail),
    ] {
      let stored = try #require(decode(data, options))
      cache.store(stored, forKey: "a")
      let read = try #require(cache.imageFromDiskCache(forKey: "a"))
      #expect(Contents(read).checksums == Contents(stored).checksums && read.duration == stored.duration)
      #expect(read.images?.count == stored.images?.count && read.sd_imageLoopCount == stored.sd_imageLoopCount)
      #expect(read.cgImage?.alphaInfo == stored.cgImage?.alphaInfo)
      // The metadata of an image is copied to the transformed one (SDWebImageManager.m, line 528).
      let transformed = UIImage(cgImage: try #require(stored.cgImage), scale: 1, orientation: .up)
      transformed.associatedObjects = stored.associatedObjects
      cache.store(transformed, forKey: "b")
      #expect(cache.imageFromDiskCache(forKey: "b")?.cgImage?.checksum == transformed.cgImage?.checksum)
    }
    // Animated images keep their file.
    let coder = try #require(WebPCoder(animatedImageData: try Reference.vector(animation), options: nil))
    cache.store(try #require(SDAnimatedImage(animatedCoder: coder, scale: 1)), forKey: "c")
    #expect(try cache.diskImageData(forKey: "c") == Reference.vector(animation))
  }

  /// The previous frame is shown for the duration of a corrupt one. An animation whose first frame is corrupt fails.
  @Test func previousFrameReplacesACorruptOne() throws {
    let file = try Reference.vector(animation)
    func corrupted(_ index: Int) throws -> Data {
      var copy = file
      // The prefix codes, after the headers of the chunk and of the bitstream.
      for offset in try WebP.Animation(file).frames[index].bytes.dropFirst(14).prefix(20) { copy[offset] = 0xFF }
      return copy
    }
    let expected = try Reference.checksums(animation)
    let images = try #require(decode(try corrupted(3))?.images).map { $0.cgImage?.checksum }
    #expect(images.count == 5 && Array(images[..<3]) == Array(expected[..<3]) && images[3] == expected[2])
    #expect(decode(try corrupted(0)) == nil)
  }

  @Test func otherFormatsHaveOtherCoders() {
    #expect(!WebPCoder().canDecode(from: Data("GIF89a and more".utf8)))
    #expect(!WebPCoder().canEncode(to: .webP))
  }
}

/// Options that the test runner can pass to several tests at the same time.
struct OptionsOfTest: ExpressibleByDictionaryLiteral, @unchecked Sendable {
  let values: [SDImageCoderOption: Any]

  init(dictionaryLiteral elements: (SDImageCoderOption, Any)...) {
    values = Dictionary(uniqueKeysWithValues: elements)
  }
}

/// The observable contents of an image, for comparisons.
private struct Contents: Equatable {
  let sizes: [[Int]]
  let checksums: [String]
  let scale: CGFloat
  let orientation: UIImage.Orientation
  let duration: TimeInterval

  init(_ image: UIImage) {
    var frames = image.images ?? [image]
    if let coder = (image as? SDAnimatedImage)?.animatedCoder {
      frames = (0..<coder.animatedImageFrameCount).compactMap { coder.animatedImageFrame(at: $0) }
    }
    let images = frames.compactMap(\.cgImage)
    (sizes, checksums) = (images.map(\.size), images.map(\.checksum))
    (scale, orientation, duration) = (image.scale, image.imageOrientation, image.duration)
  }
}
