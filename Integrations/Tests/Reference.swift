import CoreGraphics
import WebPExport

/// Files of the repository, and libwebp's results for the conformance vectors.
enum Reference {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL

  static func data(_ path: String) throws -> Data { try Data(contentsOf: root.appendingPathComponent(path)) }

  static func vector(_ name: String) throws -> Data { try data("Conformance/vectors/\(name).webp") }

  /// libwebp's CRC-32 of each frame as BGRA with premultiplied alpha.
  static func checksums(_ name: String) throws -> [String] {
    let table = try String(decoding: data("Conformance/references/animations.tsv"), as: UTF8.self)
    let row = table.split(separator: "\n").first { $0.hasPrefix("\(name).webp\tbgrA\t") }
    return row?.split(separator: "\t").dropFirst(7).map { String($0.split(separator: ":")[1]) } ?? []
  }
}

extension CGImage {
  var checksum: String {
    let sum = String(crc32(ContiguousArray(pixels).span), radix: 16)
    return String(repeating: "0", count: 8 - sum.count) + sum
  }

  var size: [Int] { [width, height] }
}

/// A lossy image with alpha, without metadata.
let image = "encoder-pillow-lossy-alpha"
/// Five frames of 40 milliseconds each.
let animation = "animation-corners-lossless"
/// 640 × 480 pixels.
let palette = "Benchmarks/Small/palette.webp"
/// 67 × 45 pixels, to be rotated clockwise.
let rotated = "Tests/WebPLoadingTests/Fixtures/profile-and-orientation.webp"
