import CommandSystem
import SystemPackage

/// A path with placeholders, from which the names of outputs follow: `out/{name}-{width}.png`.
struct NamePattern: Sendable {
  /// The path with the placeholders.
  let text: String
  private static let placeholders = ["folder", "name", "width", "height"]

  /// Returns nil if the text has no placeholder.
  ///
  /// - Throws: `UsageError` if it has other words in braces beside placeholders.
  init?(_ text: String) throws(UsageError) {
    self.text = text
    let parts = text.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
    let words = parts.map { String($0.prefix { $0 != "}" }) }
    guard words.contains(where: Self.placeholders.contains) else { return nil }
    guard let unknown = words.first(where: { !Self.placeholders.contains($0) }) else { return }
    let known = Self.placeholders.map { "{\($0)}" }.joined(separator: ", ")
    throw UsageError(message: "unknown placeholder {\(unknown)} in \(text); there are \(known)", subcommand: "decode")
  }

  /// Indicates whether the names depend on the size.
  var hasSize: Bool { text.contains("{width}") || text.contains("{height}") }

  /// Indicates whether the box has the sides that the names contain.
  func isComplete(for box: Box) -> Bool {
    (box.width != nil || !text.contains("{width}")) && (box.height != nil || !text.contains("{height}"))
  }

  /// Returns the path of an output.
  ///
  /// - Parameter box: the box that --fit or --fill specifies. `{width}` and `{height}` are its sides, so that they do
  ///   not depend on the image.
  func path(for input: InputPath, box: Box?) -> String {
    let name = unnamedOutput(of: input.path, in: nil).lastComponent.map { FilePath(root: nil, components: $0).argument }
    let sides = [box?.width, box?.height].map { $0.map { "\($0)" } ?? "" }
    let values: [String: String] = [
      "folder": input.folder.isEmpty ? "." : input.folder, "name": name ?? "", "width": sides[0], "height": sides[1],
    ]
    var path = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "{") {
      let name = rest[start...].dropFirst().prefix { $0 != "}" }
      path += rest[..<start]
      path += values[String(name)] ?? ""
      rest = rest[start...].dropFirst(name.count + 2)
    }
    return path + rest
  }
}
