/// What went wrong with a file.
package struct Failure: Error, CustomStringConvertible {
  package let path: String
  package let reason: String

  package init(_ path: String, _ reason: some CustomStringConvertible) {
    self.path = path == "-" ? "standard input" : path
    self.reason = reason.description
  }

  /// - Parameter path: of what could not be written.
  package init(writing path: String, _ reason: some CustomStringConvertible) {
    self.init(path == "-" ? "standard output" : path, reason)
  }

  package var description: String { "webp: \(path): \(reason)" }
}

/// All bytes of a file, or with `-` of standard input.
///
/// - Parameters:
///   - limit: a file of more bytes is refused before it is read.
///   - hint: what the refusal ends in.
package func readInput(_ path: String, limit: Int, hint: String = "") throws(Failure) -> [UInt8] {
  let bytes: [UInt8]?
  do {
    let file: FileDescriptor = path == "-" ? .standardInput : try .reading(path)
    defer { if path != "-" { try? file.close() } }
    bytes = try file.readAll(limit: limit)
  } catch {
    throw Failure(path, error)
  }
  guard let bytes else { throw Failure(path, "limit exceeded: more than \(limit) bytes\(hint)") }
  return bytes
}
