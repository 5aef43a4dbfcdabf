import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage

/// Reads a WebP file, or standard input if the path is `-`. A pipe is read to the end of the RIFF container.
///
/// - Throws: `Failure` if the file cannot be read, or if its first bytes show that it is not WebP.
func readWebP(_ path: String, limit: Int = WebP.Limits().maximumBytes, hint: String = "") throws(Failure) -> [UInt8] {
  try readInput(path, limit: limit, hint: hint) { (start) throws(Failure) in
    try checkIsWebP(start, of: path)
    return riffEnd(start)
  }
}

/// Throws a `Failure` if the file can be read and is not WebP. Called before other problems are reported, because this
/// one makes them irrelevant.
func checkIsWebP(_ path: String) throws(Failure) {
  guard path != "-", var input = try? InputFile(path), let start = try? input.readStart() else { return }
  try checkIsWebP(start, of: path)
}

private func checkIsWebP(_ start: [UInt8], of path: String) throws(Failure) {
  do throws(WebP.DecodeError) { _ = try WebP.info(start) } catch {
    if error.kind == .notWebP { throw Failure(path, error) }
  }
}

/// Returns the length of a RIFF container including its header and padding, in bytes (RFC 9649, section 2.4). Returns
/// nil for a bare VP8 or VP8L stream.
private func riffEnd(_ start: [UInt8]) -> Int? {
  guard start.count >= 12, start.starts(with: "RIFF".utf8) else { return nil }
  let size = (4..<8).reversed().reduce(0 as Int64) { $0 << 8 | Int64(start[$1]) }
  return Int(clamping: 8 + size + size & 1)
}

/// Checks that binary output of the format `kind` may be written to standard output.
///
/// - Throws: `Failure` if standard output is a terminal.
func refuseTerminal(for kind: String, of input: String) throws(Failure) {
  if FileDescriptor.standardOutput.isTerminal {
    throw Failure(input, "a terminal cannot show \(kind); name a file with -o")
  }
}

/// Calls a function for each input. If it throws an error, the error is printed, and the next input follows.
///
/// - Throws: `ExitCode.failure` at the end if the function threw.
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
