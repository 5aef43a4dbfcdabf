/// A line of a table in `references`, which describes one file.
public protocol TableLine: Sendable {
  /// The vector's name.
  var file: String { get }

  /// - Parameter fields: the tab-separated fields of the line.
  init(_ fields: [String])

  /// Returns the differences between PureWebP's result and the line. An empty array means agreement.
  func differences(of file: [UInt8]) -> [String]
}

/// Expands run-length encoded results: `7x12` becomes twelve times `7`.
func answers(inRuns fields: some Sequence<String>) -> [String] {
  fields.flatMap { run in
    let parts = run.split(separator: "x")
    return repeatElement(String(parts[0]), count: Int(parts[1])!)
  }
}
