import Foundation

/// The folder `Conformance`, where this file is.
public enum Conformance {
  public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  public static let vectors = folder.appendingPathComponent("vectors")

  /// libwebp-test-data, where it is: in `WEBP_TEST_DATA`, or beside the repository.
  public static let testData: URL? = {
    let beside = folder.appendingPathComponent("../../libwebp-test-data")
    let path = ProcessInfo.processInfo.environment["WEBP_TEST_DATA"] ?? beside.path
    return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
  }()

  public static func read(_ file: URL) throws -> [UInt8] { try [UInt8](Data(contentsOf: file)) }

  public static func vector(_ name: String) throws -> [UInt8] { try read(vectors.appendingPathComponent(name)) }

  /// The lines of a table below `references`.
  public static func table<Line: TableLine>(_ name: String, of: Line.Type) throws -> [Line] {
    try fields(of: folder.appendingPathComponent("references/\(name)")).map(Line.init)
  }

  /// The lines of a table like `references/vectors.tsv`.
  ///
  /// - Throws: also if the file is no such table.
  public static func references(at file: URL) throws -> [Reference] {
    let lines = try fields(of: file)
    guard lines.allSatisfy({ $0.count >= 9 }) else { throw CocoaError(.fileReadCorruptFile) }
    return lines.map(Reference.init)
  }

  /// Of each line below the heading.
  private static func fields(of table: URL) throws -> [[String]] {
    let text = try String(contentsOf: table, encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

extension TableLine {
  /// In what PureWebP's answer differs for the vector.
  public func differences() throws -> [String] { differences(of: try Conformance.vector(file)) }
}
