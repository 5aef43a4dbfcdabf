import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

/// Reads a WebP file, or standard input if the path is `-`. A pipe is read to the end of the RIFF container.
///
/// - Throws: `Failure` if the file cannot be read, or if its first bytes show that it is not WebP.
func readWebP(
  _ path: String, limit: Int = WebP.Limits().maximumBytes, limitName: String? = nil
) throws(Failure) -> [UInt8] {
  try readInput(path, limit: limit, limitName: limitName) { (start) throws(Failure) in
    try checkIsWebP(start, of: path)
    // The padding byte is a part of the container.
    return riffLength(start).map { $0 < .max ? $0 + $0 & 1 : $0 }
  }
}

/// Throws a `Failure` if the file can be read and is not WebP. Called before other problems are reported, because this
/// one makes them irrelevant.
func checkIsWebP(_ path: String) throws(Failure) {
  guard path != "-", let start = try? readStart(of: path) else { return }
  try checkIsWebP(start, of: path)
}

/// Reads the first bytes of a file, which contain the size of its image.
func readStart(of path: String) throws(Failure) -> [UInt8] {
  do {
    var input = try InputFile(path)
    return try input.readStart()
  } catch { throw Failure(path, error) }
}

private func checkIsWebP(_ start: [UInt8], of path: String) throws(Failure) {
  if start.starts(with: appleDoubleSignature) {
    let reason = "an AppleDouble file, in which macOS stores attributes of another file; not WebP"
    throw Failure(path, reason, kind: "notWebP")
  }
  do throws(WebP.DecodeError) { _ = try WebP.info(start) } catch {
    if error.kind == .notWebP { throw Failure(path, error) }
  }
}

/// Returns the headers of a file, after checking that there is memory for a copy of the file.
func info(of bytes: [UInt8], _ path: String) throws(Failure) -> WebP.ImageInfo {
  let info: WebP.ImageInfo
  do throws(WebP.DecodeError) { info = try WebP.info(bytes) } catch { throw Failure(path, error) }
  _ = try threadsInMemory(for: path, bytes, info, [], composes: false)
  return info
}

extension Failure {
  /// Creates the failure for an error in a file. If a limit is exceeded, the message names the option that raises it.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - error: the error.
  ///   - hint: the end of the message if no limit is exceeded.
  init(_ path: String, _ error: WebP.DecodeError, hint: String = "") {
    let detail = error.limit.map { error.detail(limitName: ResourceOptions.name(of: $0)) }
    self.init(path, detail ?? error.description + hint, kind: "\(error.kind)")
  }
}

/// Returns the length of a RIFF container including its header, in bytes (RFC 9649, section 2.4). Returns nil for a
/// bare VP8 or VP8L stream.
func riffLength(_ start: [UInt8]) -> Int? {
  guard start.count >= 12, start.starts(with: "RIFF".utf8) else { return nil }
  return Int(clamping: 8 + start[...].number(at: 4, bytes: 4))
}

/// Returns the failure of a file that ends before the size in its header, or nil if it is complete.
func truncation(of bytes: [UInt8], _ path: String) -> Failure? {
  guard let length = riffLength(bytes), bytes.count < length else { return nil }
  return Failure(path, "truncated: \(bytes.count) of \(length) bytes", kind: "truncated")
}

/// Writes an output of `input`.
///
/// - Parameters:
///   - replacing: whether an existing file is replaced.
///   - folder: the folder to create if it does not exist.
///   - keepsTime: whether the output has the modification time of the input.
/// - Throws: `Failure` if the file exists and is not replaced; `Errno`; an error of `body`.
func writeFile<Result>(
  _ path: String, of input: String, replacing: Bool, makingFolder folder: String?, keepsTime: Bool,
  _ body: (_ write: (ContiguousArray<UInt8>) throws -> Void) throws -> Result
) throws -> Result {
  let time = keepsTime ? ModificationTime(of: input) : nil
  do {
    if !replacing && FileKind(path) != .nothing { throw Errno.fileExists }
    return try writeOutput(path, replacing: replacing, makingFolder: folder, modified: time, body)
  } catch Errno.fileExists {
    throw Failure(input, existsAlready(path))
  }
}

/// Returns the failure of reading or decoding a file. A failure is returned unchanged.
func readingFailure(_ path: String, _ error: any Error) -> Failure {
  switch error {
  case let error as WebP.DecodeError: Failure(path, error)
  default: error as? Failure ?? Failure(path, error)
  }
}

/// Returns the failure of writing a file.
///
/// - Parameter error: the error of the writer, or of the file. A failure is returned unchanged.
func writingFailure(_ path: String, _ error: any Error) -> Failure {
  switch error {
  case WebP.ExportError.output(let cause): writingFailure(path, cause)
  case let error as Failure: error
  case WebP.ExportError.outOfMemory: Failure(writing: path, error, kind: Failure.system)
  case let failure as any WebP.Failure: Failure(writing: path, error, kind: "\(failure.kind)")
  default: Failure(writing: path, error)
  }
}

/// Prints a failure.
///
/// - Returns: the error that ends the program.
func reported(_ failure: Failure) -> ExitCode {
  printError("\(failure)")
  return ExitCode(failure.exitCode)
}

/// Checks that binary output of the format `kind` may be written to standard output.
///
/// - Throws: `Failure` if standard output is a terminal.
func refuseTerminal(for kind: String, of input: String) throws(Failure) {
  if FileDescriptor.standardOutput.isTerminal {
    throw Failure(input, "a terminal cannot show \(kind); name a file with -o")
  }
}

/// Returns the number of threads for which the resource limits of the process permit the memory of a job.
///
/// Without memory, the decoder would end the process, and with it the batch. The need is documented in
/// Documentation/Limits.md.
///
/// - Parameters:
///   - input: the path of the file.
///   - bytes: the file.
///   - info: its headers.
///   - outputs: the options of the images that are in memory at the same time. Empty if the rows are not stored.
///   - copies: the number of copies of each image, without the copies that the options need.
///   - composes: whether frames are composed on a canvas.
/// - Throws: `Failure` if one thread needs more memory than the limits permit.
func threadsInMemory(
  for input: String, _ bytes: [UInt8], _ info: WebP.ImageInfo, _ outputs: [WebP.DecodeOptions], copies: Int = 1,
  composes: Bool
) throws(Failure) -> WebP.Threads {
  let threads = outputs.first?.threads ?? .one
  guard let available = availableMemory else { return threads }
  let canvas = 4 * Double(info.width) * Double(info.height)
  var need = Double(8 << 20) + 2 * Double(bytes.count)
  // The canvas, the decoded frame, and the canvas that the image of the previous frame shares.
  if composes { need += info.frameCount > 1 ? 3 * canvas : canvas }
  // Several sizes are scaled from the complete image.
  if outputs.count > 1 { need += canvas }
  for options in outputs {
    // The decoder reports an invalid size.
    guard let layout = try? options.layout(for: info) else { return threads }
    let changes = (options.isUpright && info.orientation != .up ? 1 : 0) + (options.background == nil ? 0 : 1)
    need += Double(copies + changes) * Double(layout.byteCount)
  }
  guard need <= Double(available) else {
    let needed = byteSize(Int(min(need, 1e18)))
    let reason = "needs \(needed) of memory; the limits of the process (ulimit) leave \(byteSize(available))"
    throw Failure(input, reason, kind: Failure.system)
  }
  // The stack and the buffers of a helper, and 64 MiB of addresses that malloc reserves for each thread. Each helper
  // decodes a frame of an animation in advance.
  let perHelper = Double(72 << 20) + (composes ? canvas : 0)
  return .atMost(min(threads.count, 1 + Int(min((Double(available) - need) / perHelper, 63))))
}

/// Calls a function for each input. If it throws an error, the error is printed, and the next input follows, unless the
/// disk is full.
///
/// - Throws: `ExitCode` at the end if the function threw.
func forEach<Input>(_ inputs: [Input], _ body: (_ input: Input) throws(Failure) -> Void) throws {
  var exitCode: Int32 = 0
  for input in inputs {
    do throws(Failure) { try body(input) } catch {
      exitCode = max(exitCode, error.exitCode)
      printError("\(error)")
      if error.endsBatch { break }
    }
  }
  ProgressLine.clear()
  if exitCode > 0 { throw ExitCode(exitCode) }
}
