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
        webp check -r photos
        webp check --json *.webp | jq -r '.[] | select(.error) | .file'
        webp check --json-lines -r photos > results.jsonl
      """)

  @OptionGroup var inputs: InputOptions

  @OptionGroup var format: JSONOptions

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @OptionGroup var resources: ResourceOptions

  /// The result of a file.
  private struct CheckResult: Sendable {
    /// Nil until it is known.
    var path: String?
    var failure: Failure?
    /// Indicates whether the file was read, and is not a sound WebP file.
    var isCorrupt = false

    var json: String {
      let path = path ?? ""
      return failure.map { jsonObject(ofFailure: $0, file: path) } ?? jsonObject(jsonMembers(ofFile: path))
    }
  }

  mutating func run() throws {
    try inputs.readList(of: "check")
    let (found, otherFiles) = inputs.find(verb: "checks")
    var finished = (sound: 0, corrupt: 0, unreadable: 0)
    var json = format.output
    var failure: Failure?
    let command = self
    resources.forEach(found) { input, resources in
      var command = command
      command.resources = resources
      return command.check(input)
    } receive: { result in
      if let failure = result.failure { printError("\(failure)") }
      if result.failure == nil {
        finished.sound += 1
      } else if result.isCorrupt {
        finished.corrupt += 1
      } else {
        finished.unreadable += 1
      }
      do throws(Failure) { try json?.append(result.json) } catch { failure = error }
      let count = finished.sound + finished.corrupt + finished.unreadable
      if !quiet && found.count > 1 { ProgressLine.show("\(count) of \(found.count)") }
      return failure == nil
    }
    ProgressLine.clear()
    do throws(Failure) {
      if let failure { throw failure }
      try json?.finish()
    } catch {
      throw reported(error)
    }
    if !quiet && json == nil && found.count + otherFiles > 1 {
      var counts = ["\(finished.sound) sound", "\(finished.corrupt) corrupt"]
      if finished.unreadable > 0 { counts.append(counted(finished.unreadable, "other error")) }
      printError((counts + [inputs.note(on: otherFiles)].compactMap(\.self)).joined(separator: ", "))
    }
    if finished.corrupt + finished.unreadable > 0 { throw ExitCode.failure }
  }

  private func check(_ input: Result<InputPath, Failure>) -> CheckResult {
    var result = CheckResult()
    do throws(Failure) {
      let path = try input.get().path
      result.path = path
      let bytes = try resources.readInput(path)
      do {
        try decode(bytes, of: path)
      } catch {
        result.isCorrupt = error is WebP.DecodeError
        if let error = error as? WebP.DecodeError { throw resources.failure(path, error) }
        throw error as? Failure ?? Failure(path, error)
      }
      if let truncation = truncation(of: bytes) {
        result.isCorrupt = true
        throw Failure(path, truncation)
      }
    } catch {
      result = CheckResult(path: result.path ?? error.path, failure: error, isCorrupt: result.isCorrupt)
    }
    return result
  }

  /// Decodes all pixels of a file.
  private func decode(_ bytes: [UInt8], of path: String) throws {
    var options = WebP.DecodeOptions(threads: resources.threadCount, limits: resources.limits)
    let info = try WebP.info(bytes)
    // Strips of rows need little memory.
    options.threads = try threadsInMemory(for: path, info, options, copies: info.isAnimated ? 1 : 0)
    if info.isAnimated {
      var frames = try WebP.Animation(bytes, options: options).makeIterator()
      while try frames.nextFrame() != nil {}
    } else {
      var decoder = WebP.RowDecoder(options: options)
      try decoder.append(bytes)
      decoder.finish()
      while try decoder.nextStrip() != nil {}
    }
  }
}
