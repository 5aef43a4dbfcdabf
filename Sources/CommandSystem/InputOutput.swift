// Whole files, in and out.

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

/// Writes a file, which appears under its name when it is complete, and not at all otherwise: see `OutputFile`.
///
/// - Parameters:
///   - path: `-` for standard output.
///   - folder: one to make if it is not there. If the file does not appear, nor does it.
///   - body: is given what takes the next bytes of the file.
/// - Throws: `SystemError`, and what `body` throws.
package func writeOutput<Result>(
  _ path: String, makingFolder folder: String? = nil,
  _ body: (_ write: (ContiguousArray<UInt8>) throws -> Void) throws -> Result
) throws -> Result {
  let file = try OutputFile(path, makingFolder: folder)
  let result = try body(file.write)
  try file.finish()
  return result
}

/// Writes a file of these bytes.
package func writeOutput(_ path: String, _ bytes: ContiguousArray<UInt8>) throws(Failure) {
  do { try writeOutput(path) { write in try write(bytes) } } catch { throw Failure(writing: path, "\(error)") }
}
