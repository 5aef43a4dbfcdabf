import Foundation

/// The files in `Tests/Fixtures` and in `Conformance/vectors`.
package enum TestFile {
  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  package static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// A conformance vector.
  package static func vector(_ name: String) throws -> Data {
    try Data(contentsOf: vectors.appendingPathComponent(name))
  }

  /// The folder of the conformance vectors.
  package static let vectors = folder.deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Conformance/vectors")
}
