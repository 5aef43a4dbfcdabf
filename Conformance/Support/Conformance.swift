import Foundation

/// Access to the files in the folder `Conformance`.
public enum Conformance {
  public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  public static let vectors = folder.appendingPathComponent("vectors")

  /// The folder libwebp-test-data: `WEBP_TEST_DATA`, or next to the repository. Nil if it does not exist.
  public static let testData: URL? = {
    let beside = folder.appendingPathComponent("../../libwebp-test-data")
    let path = ProcessInfo.processInfo.environment["WEBP_TEST_DATA"] ?? beside.path
    return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
  }()

  public static func read(_ file: URL) throws -> [UInt8] { try [UInt8](Data(contentsOf: file)) }

  public static func vector(_ name: String) throws -> [UInt8] { try read(vectors.appendingPathComponent(name)) }

  /// Returns the lines of a table in `references`.
  public static func table<Line: TableLine>(_ name: String, of: Line.Type) throws -> [Line] {
    try fields(of: folder.appendingPathComponent("references/\(name)")).map(Line.init)
  }

  /// Returns the lines of a table with the columns of `references/vectors.tsv`.
  ///
  /// - Throws: an error if the file cannot be read or has other columns.
  public static func references(at file: URL) throws -> [Reference] {
    let lines = try fields(of: file)
    guard lines.allSatisfy({ $0.count >= 9 }) else { throw CocoaError(.fileReadCorruptFile) }
    return lines.map(Reference.init)
  }

  /// Returns the fields of each line after the header.
  private static func fields(of table: URL) throws -> [[String]] {
    let text = try String(contentsOf: table, encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

extension TableLine {
  /// Returns the differences for the vector.
  public func differences() throws -> [String] { differences(of: try Conformance.vector(file)) }
}
