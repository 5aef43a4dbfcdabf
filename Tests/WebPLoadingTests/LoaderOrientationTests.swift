import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that images are upright, whether the file arrives or is present, and that options mean the upright image.
/// Expected values: sizes computed by hand, and the decoder's stored images, which the tests orient.
@Suite struct LoaderOrientationTests {
  /// 67 × 45 pixels, to be rotated clockwise, without the attribute in XMP.
  private static let name = "profile-and-orientation.webp"
  private let bytes = try! Fixtures.bytes(name)
  private let url = URL(string: "http://a/b.webp")!

  private func loader() -> Loader {
    // The orientation follows the pixels, so it is in the second piece.
    let pieces = [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)].map { Data($0) }
    return Loader(
      configuration: .patient,
      transport: ScriptedTransport(.head(200), .piece(pieces[0]), .piece(pieces[1])))
  }

  private static var file: URL { Fixtures.folders[0].appendingPathComponent(name) }

  @Test(arguments: [true, false]) func imagesAreUprightByDefault(isFile: Bool) async throws {
    let loaded = try await loader().image(for: isFile ? Self.file : url)
    expectSame(loaded.image, try WebP.decode(bytes).oriented(.right))
    #expect(loaded.image.appliedOrientation == .right && loaded.metadata.orientation == .up)
    #expect(loaded.metadata.icc == WebP.metadata(bytes).icc && loaded.metadata.icc != nil)
  }

  @Test(arguments: [true, false]) func storedImagesAreAvailable(isFile: Bool) async throws {
    let loaded = try await loader().image(for: isFile ? Self.file : url, options: .init(decoding: .init()))
    expectSame(loaded.image, try WebP.decode(bytes))
    #expect(loaded.image.appliedOrientation == nil && loaded.metadata.orientation == .right)
  }

  /// An orientation that only XMP has does not rotate an image, and stays in the metadata.
  @Test func xmpDoesNotRotateImages() async throws {
    let bytes = Data(try TestFile.bytes("xmp-orientation.webp"))
    let url = try #require(URL(string: "data:image/webp;base64,\(bytes.base64EncodedString())"))
    let loaded = try await Loader().image(for: url)
    expectSame(loaded.image, try WebP.decode(bytes))
    #expect(loaded.metadata == WebP.metadata(bytes) && loaded.metadata.xmp != nil)
  }

  /// A box of 40 × 30 contains 20 × 30 of the upright 45 × 67, and 40 × 27 of the stored image.
  @Test(
    arguments: [
      (WebP.OutputSize.fit(width: 40, height: 30), WebP.OutputSize.exact(width: 30, height: 20)),
      (.fit(width: 33, height: 33), .exact(width: 33, height: 22)), (.fit(width: 20), .exact(width: 30, height: 20)),
      (.fill(width: 40, height: 30), .exact(width: 60, height: 40)),
      (.exact(width: 31, height: 7), .exact(width: 7, height: 31)),
    ], [true, false])
  func sizesMeanTheUprightImage(sizes: (WebP.OutputSize, stored: WebP.OutputSize), isFile: Bool) async throws {
    let options = Loader.Options(decoding: .init(size: sizes.0, isUpright: true))
    let loaded = try await loader().image(for: isFile ? Self.file : url, options: options)
    let expected = try WebP.decode(bytes, options: .init(size: sizes.stored)).oriented(.right)
    expectSame(loaded.image, expected)
  }

  /// The placeholder of a complete file has the final size. Before the orientation arrives, it is the stored size.
  @Test func placeholdersHaveTheSizeThatIsKnown() throws {
    for (bytes, expected) in [(bytes, [45, 67]), (bytes.prefix(bytes.count / 2), [67, 45])] {
      var decoding = ImageDecoding(options: .init(isUpright: true))
      _ = try decoding.readHeaders(bytes)
      guard case .placeholder(_, let size) = decoding.placeholder?.0 else { throw URLError(.unknown) }
      #expect([size.width, size.height] == expected)
    }
  }

  /// An animation of 26 × 19 pixels, with Exif that says that it is to be rotated clockwise.
  @Test(arguments: [nil, WebP.OutputSize.fit(width: 7, height: 100)])
  func framesAreUpright(size: WebP.OutputSize?) async throws {
    let source = try Fixtures.bytes("animation-corners-lossless.webp")
    let orientation: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
    ]
    var file = [UInt8](source)
    file[20] |= 8  // the flag of Exif in VP8X
    file += FileWriter.chunk("EXIF", orientation)
    let length = UInt32(file.count - 8)
    for index in 0..<4 { file[4 + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    let url = try #require(URL(string: "data:image/webp;base64,\(Data(file).base64EncodedString())"))
    let transform = Loader.Options.Transform("mirrored") { $0.oriented(.upMirrored) }
    for transform in [nil, transform] {
      let loaded = try await Loader().image(
        for: url, options: .init(transform: transform, decoding: .init(size: size, isUpright: true)))
      let animation = try #require(loaded.animation)
      var stored = WebP.DecodeOptions()
      if size != nil { stored.size = .fit(width: 100, height: 7) }
      let frames = try Array(WebP.Animation(file, options: stored)).map { frame in
        let upright = frame.image.oriented(.right)
        return transform == nil ? upright : upright.oriented(.upMirrored)
      }
      #expect(loaded.metadata.orientation == .up && frames.count > 1)
      expectSame(loaded.image, frames[0])
      for (index, frame) in frames.enumerated() {
        let found = try animation.frame(at: index)
        #expect(found.appliedOrientation == .right)
        expectSame(found, frame)
      }
    }
  }
}
