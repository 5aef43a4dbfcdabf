import Foundation
import PureWebP
import TestSupport

/// WebP files, and libwebp's results for them.
enum Fixtures {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  private static let conformance = tests.deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance")

  static let folders = [
    tests.appendingPathComponent("Fixtures"), conformance.appendingPathComponent("vectors"),
  ]

  static func bytes(_ name: String) throws -> Data {
    let file = folders.map { $0.appendingPathComponent(name) }.first { FileManager.default.fileExists(atPath: $0.path) }
    return try Data(contentsOf: file ?? folders[0].appendingPathComponent(name))
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
    let table = conformance.appendingPathComponent("references/vectors.tsv")
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
