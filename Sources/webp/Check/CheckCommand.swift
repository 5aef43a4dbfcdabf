import ArgumentParser
import CommandSystem
import PureWebP

struct CheckCommand: ParsableCommand, Sendable {
  static let configuration = CommandConfiguration(
    subcommand: "check",
    abstract: "Decodes files completely to find corrupt ones, and writes nothing.",
    discussion: """
      The errors are printed to standard error, and the exit code is 1 or 75 if there is one. Several files are \
      checked in parallel.

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

  mutating func run() throws {
    let (found, otherFiles) = try inputs.find(for: "check", verb: "checks")
    var report = BatchReport(json: format.output)
    let command = self
    resources.forEach(found) { input, resources in
      var command = command
      command.resources = resources
      return command.check(input)
    } receive: { result in
      let continues = report.add(result)
      if !quiet && found.count > 1 { ProgressLine.show("\(report.count) of \(found.count)") }
      return continues
    }
    try report.finish()
    if !quiet && format.output == nil && found.count + otherFiles > 1 {
      var counts = ["\(report.count - report.failed) sound", "\(report.corrupt) corrupt"]
      let others = report.failed - report.corrupt
      if others > 0 { counts.append(counted(others, "other error")) }
      printError((counts + [inputs.note(on: otherFiles)].compactMap(\.self)).joined(separator: ", "))
    }
    if report.exitCode > 0 { throw ExitCode(report.exitCode) }
  }

  private func check(_ input: Result<InputPath, Failure>) -> FileResult {
    let path = try? input.get().path
    do throws(Failure) {
      let path = try input.get().path
      let bytes = try resources.readInput(path)
      let info = try info(of: bytes, path)
      if let truncation = truncation(of: bytes, path) { throw truncation }
      do { try decode(bytes, of: path, info) } catch { throw readingFailure(path, error) }
      return FileResult(path)
    } catch {
      return FileResult(path ?? error.path, error)
    }
  }

  /// Decodes all pixels of a file. The rows of a still image are not stored.
  private func decode(_ bytes: [UInt8], of path: String, _ info: WebP.ImageInfo) throws {
    var options = WebP.DecodeOptions(threads: resources.threadCount, limits: resources.limits)
    if info.isAnimated {
      options.threads = try threadsInMemory(for: path, bytes, info, [options], composes: true)
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
