import ArgumentParser
import PureWebP

/// What went wrong with a file.
struct Failure: Error, CustomStringConvertible {
  let path: String
  let reason: String

  init(_ path: String, _ reason: some CustomStringConvertible) {
    self.path = path == "-" ? "standard input" : path
    self.reason = reason.description
  }

  /// - Parameter path: of what could not be written.
  init(writing path: String, _ reason: some CustomStringConvertible) {
    self.init(path == "-" ? "standard output" : path, reason)
  }

  var description: String { "webp: \(path): \(reason)" }
}

/// All bytes of a file, or with `-` of standard input.
///
/// - Parameter limit: a file of more bytes is refused before it is read.
func readInput(_ path: String, limit: Int = WebP.Limits().maximumBytes) throws(Failure) -> [UInt8] {
  let bytes: [UInt8]?
  do {
    let file: FileDescriptor = path == "-" ? .standardInput : try .reading(path)
    defer { if path != "-" { try? file.close() } }
    bytes = try file.readAll(limit: limit)
  } catch {
    throw Failure(path, error)
  }
  guard let bytes else { throw Failure(path, "limit exceeded: more than \(limit) bytes") }
  return bytes
}

/// Does something for each input; one that fails does not keep it from the others.
///
/// - Throws: `ExitCode.failure` at the end if one failed.
func forEach(_ inputs: [String], _ body: (_ index: Int, _ input: String) throws(Failure) -> Void) throws {
  var failed = false
  for (index, input) in inputs.enumerated() {
    do throws(Failure) { try body(index, input) } catch {
      failed = true
      ProgressLine.clear()
      printError("\(error)\n")
    }
  }
  ProgressLine.clear()
  if failed { throw ExitCode.failure }
}
