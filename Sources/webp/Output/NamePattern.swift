import CommandSystem
import PureWebP
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

  /// Indicates whether the names depend on the size of the output.
  var hasSize: Bool { text.contains("{width}") || text.contains("{height}") }

  /// Returns the path of an output.
  ///
  /// - Parameter size: the size of the output. Nil if the names do not depend on it.
  func path(for input: InputPath, size: WebP.Size?) throws(Failure) -> String {
    let name = unnamedOutput(of: input.path, in: nil).lastComponent.map { FilePath(root: nil, components: $0).argument }
    let folder = text.contains("{folder}") ? try input.folder() : ""
    let values: [String: String] = [
      "folder": folder.isEmpty ? "." : folder, "name": name ?? "",
      "width": size.map { "\($0.width)" } ?? "", "height": size.map { "\($0.height)" } ?? "",
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
