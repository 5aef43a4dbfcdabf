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
    // The padding byte is a part of the container.
    return riffLength(start).map { $0 < .max ? $0 + $0 & 1 : $0 }
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

/// Returns the length of a RIFF container including its header, in bytes (RFC 9649, section 2.4). Returns nil for a
/// bare VP8 or VP8L stream.
func riffLength(_ start: [UInt8]) -> Int? {
  guard start.count >= 12, start.starts(with: "RIFF".utf8) else { return nil }
  return Int(clamping: 8 + start[...].number(at: 4, bytes: 4))
}

/// Returns the message for a file that ends before the size in its header, or nil if it is complete.
func truncation(of bytes: [UInt8]) -> String? {
  guard let length = riffLength(bytes), bytes.count < length else { return nil }
  return "truncated: \(bytes.count.grouped) of \(length.grouped) bytes"
}

/// Prints a failure.
///
/// - Returns: the error that ends the program.
func reported(_ failure: Failure) -> ExitCode {
  printError("\(failure)")
  return .failure
}

/// Checks that binary output of the format `kind` may be written to standard output.
///
/// - Throws: `Failure` if standard output is a terminal.
func refuseTerminal(for kind: String, of input: String) throws(Failure) {
  if FileDescriptor.standardOutput.isTerminal {
    throw Failure(input, "a terminal cannot show \(kind); name a file with -o")
  }
}

/// Throws a `Failure` if the resource limits of the process do not permit the memory for an image.
///
/// The decoder would end the process, and with it the batch. The need is documented in Documentation/Limits.md.
///
/// - Parameters:
///   - input: the file.
///   - info: its headers.
///   - options: the options for decoding it.
///   - copies: the number of images of the output size that are in memory at the same time.
func checkMemory(
  for input: String, _ info: WebP.ImageInfo, _ options: WebP.DecodeOptions, copies: Int
) throws(Failure) {
  guard let available = availableMemory, let size = try? options.outputSize(for: info) else { return }
  let pixels = Double(size.width) * Double(size.height) * (info.hasAlpha || info.isAnimated ? 4 : 3) * Double(copies)
  // Canvases are composed in the size of the file.
  let canvases = info.isAnimated ? Double(info.width) * Double(info.height) * 8 : 0
  let threads = min(options.threads.count, processorCount)
  let need = pixels + canvases + Double(4 << 20) + Double(threads - 1) * Double(14 << 20)
  guard need > Double(available) else { return }
  let needed = byteSize(Int(min(need, 1e18)))
  throw Failure(input, "needs \(needed) of memory; the limits of the process (ulimit) leave \(byteSize(available))")
}

/// An input file.
struct InputPath: Sendable {
  let path: String
  /// The folder of the file, relative to the folder that is an operand. Empty if the file itself is the operand.
  var folder = ""
}

/// Returns the inputs of a command that reads files: the operands, with each folder replaced by the WebP files in it.
///
/// - Parameters:
///   - operands: the operands of the command line.
///   - recursive: whether folders are searched.
///   - verb: what the command does with the files in a folder, for messages.
/// - Returns: the files, and the failures of folders.
func inputFiles(_ operands: [String], recursive: Bool, verb: String) -> [Result<InputPath, Failure>] {
  operands.flatMap { path -> [Result<InputPath, Failure>] in
    guard path != "-", isFolder(path) else { return [.success(InputPath(path: path))] }
    guard recursive else { return [.failure(Failure(path, "a folder; -r \(verb) the WebP files in it"))] }
    do {
      let files = try webPFiles(in: path)
      guard !files.isEmpty else { throw Failure(path, "no WebP files in this folder") }
      return files.map { file in
        let file = FilePath(argument: file)
        let folder = file.removingLastComponent().argument
        return .success(InputPath(path: FilePath(argument: path).pushing(file).argument, folder: folder))
      }
    } catch {
      return [.failure(error as? Failure ?? Failure(path, error))]
    }
  }
}

/// Calls a function for each input. If it throws an error, the error is printed, and the next input follows.
///
/// - Throws: `ExitCode.failure` at the end if the function threw.
func forEach<Input>(_ inputs: [Input], _ body: (_ input: Input) throws(Failure) -> Void) throws {
  var failed = false
  for input in inputs {
    do throws(Failure) { try body(input) } catch {
      failed = true
      ProgressLine.clear()
      printError("\(error)")
    }
  }
  ProgressLine.clear()
  if failed { throw ExitCode.failure }
}
