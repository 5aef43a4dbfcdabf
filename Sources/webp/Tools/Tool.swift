import CommandSystem
import PureWebP

// Shared by the imitations of libwebp's tools.

/// Ends a tool, with its messages and its exit code.
struct ToolExit: Error {
  /// Lines for standard error.
  var errors: [String] = []
  /// Text for standard output, which follows the errors.
  var output = ""
  var code: Int32 = 0

  static func failure(_ errors: String...) -> Self { Self(errors: errors, code: 1) }
}

/// Runs a tool and ends the process.
///
/// - Parameters:
///   - tool: throws `ToolExit` to end early, or another error if its output cannot be written.
///   - words: the words of the command line, without the program's name.
func runTool(_ tool: ([String]) throws -> Void, _ words: [String]) -> Never {
  do {
    do { try tool(words) } catch let exit as ToolExit {
      for line in exit.errors { printError(line) }
      try printOutput(exit.output)
      exitProcess(exit.code)
    }
    exitProcess(0)
  } catch { Failure(writing: "-", error).endProgram() }
}

/// Writes a file, or ends the tool with the errors for a file that cannot be opened or written.
///
/// `body` does not escape. It is declared so because only such a function may have `write` as an argument.
func writeToolOutput(
  _ path: String, errorsOpening: [String], errorsWriting: [String],
  _ body: @escaping (_ write: (ContiguousArray<UInt8>) throws -> Void) throws -> Void
) throws(ToolExit) {
  var isOpen = false
  do {
    try writeOutput(path) { write in
      isOpen = true
      try body(write)
    }
  } catch {
    throw ToolExit(errors: isOpen ? errorsWriting : errorsOpening, code: 1)
  }
}

/// Reads a file, or standard input if the path is `-`. If it cannot be read, prints the message of libwebp's tools, and
/// returns nil.
func readToolInput(_ path: String) -> [UInt8]? {
  guard var input = try? InputFile(path) else {
    printError(path == "-" ? "Could not read from stdin." : "cannot open input file '\(path)'")
    return nil
  }
  guard let bytes = try? input.readAll(limit: WebP.Limits().maximumBytes), path == "-" || !bytes.isEmpty else {
    printError(path == "-" ? "Could not read from stdin." : "Could not read 0 bytes of data from file \(path)")
    return nil
  }
  return bytes
}
