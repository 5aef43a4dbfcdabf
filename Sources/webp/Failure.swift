import ArgumentParser

/// What went wrong with a file.
struct Failure: Error, CustomStringConvertible {
  let path: String
  let reason: String

  init(_ path: String, _ reason: some CustomStringConvertible) {
    self.path = path == "-" ? "standard input" : path
    self.reason = reason.description
  }

  var description: String { "webp: \(path): \(reason)" }
}

/// All bytes of a file, or with `-` of standard input.
func readInput(_ path: String) throws(Failure) -> [UInt8] {
  do {
    guard path != "-" else { return try FileDescriptor.standardInput.readAll() }
    let file = try FileDescriptor.reading(path)
    defer { try? file.close() }
    return try file.readAll()
  } catch {
    throw Failure(path, error)
  }
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
