import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

typealias Loader = WebP.ImageLoader
typealias Step = ScriptedTransport.Step

/// WebP files, and libwebp's results for them.
enum Fixtures {
  /// 67 × 45 pixels.
  static let photo = "encoder-cwebp-q75.webp"
  /// An address without a server.
  static let url = URL(string: "http://a/b.webp")!

  static let folders = [TestFile.root.appendingPathComponent("Tests/WebPLoadingTests/Fixtures"), TestFile.vectors]

  static func bytes(_ name: String) throws -> Data {
    let file = folders.map { $0.appendingPathComponent(name) }.first { FileManager.default.fileExists(atPath: $0.path) }
    return try Data(contentsOf: file ?? folders[0].appendingPathComponent(name))
  }

  static func response(_ status: Int, _ fields: [String: String] = [:], from url: URL = url) -> HTTPURLResponse {
    HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)!
  }

  /// The seconds for which a response is fresh at 8:00 on Friday, 15 January 2027 (GMT).
  static func freshness(_ fields: [String: String], defaultLifetime: Double = 0) -> Double {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    return response(200, fields).freshUntil(now, defaultLifetime: defaultLifetime).timeIntervalSince(now)
  }

  struct Reference: Equatable {
    let width: Int
    let height: Int
    /// CRC-32 of the pixels as RGBA, as libwebp decodes them.
    let rgba: UInt32
  }

  /// References for the still images that libwebp accepts.
  static let references: [String: Reference] = {
    // 2560 × 1600 pixels: gradients, discs and noise, from cwebp -q 40; the checksum is libwebp 1.6's.
    var all = ["four-megapixels.webp": Reference(width: 2560, height: 1600, rgba: 0xCBC0_ED08)]
    let table = TestFile.root.appendingPathComponent("Conformance/references/vectors.tsv")
    let lines = (try? String(contentsOf: table, encoding: .utf8))?.split(separator: "\n") ?? []
    for line in lines.dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count > 5, fields[1] == "ok", let width = Int(fields[2]), let height = Int(fields[3]),
        let rgba = UInt32(fields[5], radix: 16)
      else { continue }
      all[String(fields[0])] = Reference(width: width, height: height, rgba: rgba)
    }
    return all
  }()
}

extension Fixtures.Reference {
  /// - Parameter image: an image in the format RGBA.
  init(_ image: WebP.Image) {
    self.init(width: image.width, height: image.height, rgba: PNGReader.checksum(Array(image.pixels)[...]))
  }
}

extension PNGReader {
  init(_ png: Data) throws { try self.init([UInt8](png)) }

  var reference: Fixtures.Reference { .init(width: width, height: height, rgba: Self.checksum(pixels[...])) }
}
