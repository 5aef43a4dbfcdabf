import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage

/// All bytes of a file, or with `-` of standard input, unless they are more than the library takes.
func readInput(_ path: String) throws(Failure) -> [UInt8] { try readInput(path, limit: WebP.Limits().maximumBytes) }

/// - Throws: if standard output is a terminal, to which `kind` would be written.
func refuseTerminal(for kind: String, of input: String) throws(Failure) {
  if FileDescriptor.standardOutput.isTerminal {
    throw Failure(input, "a terminal shows no \(kind); name a file with -o")
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
      printError("\(error)")
    }
  }
  ProgressLine.clear()
  if failed { throw ExitCode.failure }
}
