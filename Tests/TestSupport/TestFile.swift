import Foundation

/// The files in `Tests/Fixtures` and in `Conformance/vectors`.
package enum TestFile {
  /// The folder of the package.
  package static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
  package static let folder = root.appendingPathComponent("Tests/Fixtures")

  package static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// A conformance vector.
  package static func vector(_ name: String) throws -> Data {
    try Data(contentsOf: vectors.appendingPathComponent(name))
  }

  /// The folder of the conformance vectors.
  package static let vectors = root.appendingPathComponent("Conformance/vectors")
}
