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
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: root.appendingPathComponent("Conformance/vectors").appendingPathComponent(name))
  }
}
