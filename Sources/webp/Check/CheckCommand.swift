import ArgumentParser
import CommandSystem
import PureWebP

struct CheckCommand: ParsableCommand, Sendable {
  static let configuration = CommandConfiguration(
    subcommand: "check",
    abstract: "Decodes files completely to find corrupt ones, and writes nothing.",
    discussion: """
      The errors are printed to standard error, and the exit code is 1 if there is one. Several files are checked in \
      parallel.

      EXAMPLES
        webp check photo.webp
        webp check -r photos
        webp check --json *.webp | jq -r '.[] | select(.error) | .file'
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Flag(help: "Print a JSON array of objects. A file with an error has the member error.")
  var json = false

  @Flag(name: .shortAndLong, help: "Check the WebP files in folders.")
  var recursive = false

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @OptionGroup var threads: ThreadOptions

  @OptionGroup var limits: LimitOptions

  /// The result of a file.
  private struct CheckResult: Sendable {
    let path: String
    let failure: Failure?

    var json: String { failure.map { jsonObject(ofFailure: $0, file: path) } ?? jsonObject(jsonMembers(ofFile: path)) }
  }

  func run() throws {
    var results: [CheckResult] = []
    var files: [String] = []
    for input in inputFiles(inputs, recursive: recursive, verb: "checks") {
      switch input {
      case .success(let input): files.append(input.path)
      case .failure(let failure): results.append(CheckResult(path: failure.path, failure: failure))
      }
    }
    for result in results { if let failure = result.failure { printError("\(failure)") } }
    var finished = 0
    threads.forEach(files) { file, threads in
      var command = self
      command.threads = threads
      return command.check(file)
    } receive: { result in
      results.append(result)
      if let failure = result.failure {
        ProgressLine.clear()
        printError("\(failure)")
      }
      finished += 1
      if !quiet && files.count > 1 { ProgressLine.show("\(finished) of \(files.count)") }
    }
    ProgressLine.clear()
    let corrupt = results.count { $0.failure != nil }
    do {
      if json { try printOutput(jsonArray(results.map(\.json))) }
    } catch {
      throw reported(Failure(writing: "-", error))
    }
    if !quiet && !json && results.count > 1 { printError("\(results.count - corrupt) sound, \(corrupt) with errors") }
    if corrupt > 0 { throw ExitCode.failure }
  }

  private func check(_ path: String) -> CheckResult {
    do throws(Failure) {
      let bytes = try limits.readInput(path)
      do throws(WebP.DecodeError) { try decode(bytes) } catch { throw limits.failure(path, error) }
      if let truncation = truncation(of: bytes) { throw Failure(path, truncation) }
      return CheckResult(path: path, failure: nil)
    } catch {
      return CheckResult(path: path, failure: error)
    }
  }

  /// Decodes all pixels of a file.
  private func decode(_ bytes: [UInt8]) throws(WebP.DecodeError) {
    let options = WebP.DecodeOptions(threads: threads.value, limits: limits.limits)
    if try WebP.info(bytes).isAnimated {
      var frames = try WebP.Animation(bytes, options: options).makeIterator()
      while try frames.nextFrame() != nil {}
    } else {
      // Strips of rows need little memory.
      var decoder = WebP.RowDecoder(options: options)
      try decoder.append(bytes)
      decoder.finish()
      while try decoder.nextStrip() != nil {}
    }
  }
}
