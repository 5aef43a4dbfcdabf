/// A line of a table below `references`: what is known of one file.
public protocol TableLine: Sendable {
  /// The vector's name.
  var file: String { get }

  /// - Parameter fields: what tabs part.
  init(_ fields: [String])

  /// In what PureWebP's answer differs. None: it is as it must be.
  func differences(of file: [UInt8]) -> [String]
}

/// Runs such as `7x12` as the twelve answers that each stands for.
func answers(inRuns fields: some Sequence<String>) -> [String] {
  fields.flatMap { run in
    let parts = run.split(separator: "x")
    return repeatElement(String(parts[0]), count: Int(parts[1])!)
  }
}
