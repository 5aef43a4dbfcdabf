import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

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
  if start.starts(with: appleDoubleSignature) {
    throw Failure(path, "an AppleDouble file, in which macOS stores attributes of another file; not WebP")
  }
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
  return "truncated: \(bytes.count) of \(length) bytes"
}

/// Returns the failure of writing a file.
///
/// - Parameter error: the error of the writer, or of the file. A failure is returned unchanged.
func writingFailure(_ path: String, _ error: any Error) -> Failure {
  if case WebP.ExportError.output(let cause) = error { return writingFailure(path, cause) }
  return error as? Failure ?? Failure(writing: path, error)
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

/// Returns the number of threads for which the resource limits of the process permit the memory.
///
/// Without memory, the decoder would end the process, and with it the batch. The need is documented in
/// Documentation/Limits.md.
///
/// - Parameters:
///   - input: the file.
///   - info: its headers.
///   - options: the options for decoding it.
///   - copies: the number of images of the output size that are in memory at the same time.
/// - Throws: `Failure` if one thread needs more memory than the limits permit.
func threadsInMemory(
  for input: String, _ info: WebP.ImageInfo, _ options: WebP.DecodeOptions, copies: Int
) throws(Failure) -> WebP.Threads {
  guard let available = availableMemory, let size = try? options.outputSize(for: info) else { return options.threads }
  let canvas = Double(info.width) * Double(info.height) * 4
  var need = Double(size.width) * Double(size.height) * (info.hasAlpha || info.isAnimated ? 4 : 3) * Double(copies)
  // Canvases are composed in the size of the file.
  need += Double(4 << 20) + (info.isAnimated ? 2 * canvas : 0)
  guard need <= Double(available) else {
    let needed = byteSize(Int(min(need, 1e18)))
    throw Failure(input, "needs \(needed) of memory; the limits of the process (ulimit) leave \(byteSize(available))")
  }
  // The stack and the buffers of a helper, and 64 MiB of addresses that malloc reserves for each thread. Each helper
  // decodes a frame of an animation in advance.
  let perHelper = Double(72 << 20) + (info.isAnimated ? canvas : 0)
  return .atMost(min(options.threads.count, 1 + Int(min((Double(available) - need) / perHelper, 63))))
}

/// Calls a function for each input. If it throws an error, the error is printed, and the next input follows, unless the
/// disk is full.
///
/// - Throws: `ExitCode.failure` at the end if the function threw.
func forEach<Input>(_ inputs: [Input], _ body: (_ input: Input) throws(Failure) -> Void) throws {
  var failed = false
  for input in inputs {
    do throws(Failure) { try body(input) } catch {
      failed = true
      printError("\(error)")
      if error.endsBatch { break }
    }
  }
  ProgressLine.clear()
  if failed { throw ExitCode.failure }
}
