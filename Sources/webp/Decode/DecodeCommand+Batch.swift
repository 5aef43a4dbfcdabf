import CommandSystem
import PureWebP
import WebPExport

// The distribution of inputs over threads.

extension DecodeCommand {
  /// Returns the inputs of the command line. If --recursive is specified, each folder is replaced by the WebP files in
  /// it.
  func findInputs(_ result: inout DecodeResult) -> [InputPath] {
    inputFiles(inputs, recursive: recursive, verb: "decodes").compactMap { input in
      switch input {
      case .success(let path): return path
      case .failure(let failure):
        result.add(failure)
        return nil
      }
    }
  }

  /// Determines the output of each input, and checks that it may be written. Nothing is decoded.
  func plan(
    _ inputs: [InputPath], to destination: Destination, as format: WebP.FileFormat, _ result: inout DecodeResult
  ) -> DecodePlan {
    var plan = DecodePlan()
    for input in inputs { ProtectedFiles.add(input.path) }
    for input in inputs {
      do throws(Failure) {
        let output = try DecodeOutput(of: input, at: destination, as: format)
        let isInput = output.path != "-" && ProtectedFiles.contain(output.path)
        if isInput { try checkIsWebP(input.path) }
        if isInput && FileKind(output.path) == .file {
          throw Failure(input.path, "\(output.path) is an input file, which is never replaced; -o names another output")
        }
        if !output.isNamed && !force && FileKind(output.path) != .nothing {
          try checkIsWebP(input.path)
          plan.existing.append((input.path, output.path))
        } else {
          plan.add(input.path, to: output)
        }
      } catch {
        result.add(error)
      }
    }
    return plan
  }

  /// Reports the outputs that exist already. Several of them are reported in one message.
  func reportExisting(_ plan: DecodePlan, _ result: inout DecodeResult) {
    guard let first = plan.existing.first else { return }
    guard !skipExisting else {
      if verbose { result.messages += plan.existing.map { "\($0.input): skipped, \($0.output) exists" } }
      return
    }
    if plan.existing.count == 1 {
      result.add(Failure(first.input, existsAlready(first.output)))
    } else {
      let advice = "--force replaces them, --skip-existing skips them"
      result.messages.append("webp: \(plan.existing.count) outputs exist already, such as \(first.output); \(advice)")
      result.failures += plan.existing.count
    }
  }

  /// Runs the jobs on several threads. Reports messages in the order of the jobs.
  ///
  /// - Parameter result: the result of the inputs that have no job.
  func run(_ jobs: [DecodeJob], _ result: DecodeResult) -> (written: Int, failed: Int) {
    let start = secondsNow
    var (done, written, failed) = (0, 0, result.failures)
    /// Shows the progress. The text is short, so that it still fits if the user makes the terminal narrower.
    func showProgress() {
      guard jobs.count > 1 && !quiet && !verbose else { return }
      var text = "\(done) of \(jobs.count)"
      if failed > 0 { text += ", \(failed) failed" }
      if done > 0 && done < jobs.count {
        let left = Int(((secondsNow - start) / Double(done) * Double(jobs.count - done)).rounded(.up))
        text += ", \(left / 60):\(String(left % 60).padded(to: 2, with: "0")) left"
      }
      ProgressLine.show(text)
    }
    func report(_ result: DecodeResult) {
      if !result.messages.isEmpty { ProgressLine.clear() }
      for message in result.messages { printError(message) }
    }
    showProgress()
    report(result)
    threads.forEach(jobs) { job, threads in
      var command = self
      command.threads = threads
      return command.run(job)
    } receive: { result in
      report(result)
      done += 1
      if result.writtenInput != nil { written += 1 }
      failed += result.failures
      showProgress()
    }
    ProgressLine.clear()
    return (written, failed)
  }

  private func run(_ job: DecodeJob) -> DecodeResult {
    var result = DecodeResult()
    for input in job.inputs {
      if let writtenInput = result.writtenInput {
        result.add(Failure(input, "\(job.output.path) has been written from \(writtenInput) just now"))
        continue
      }
      do throws(Failure) { try decode(input, to: job.output, &result) } catch { result.add(error) }
    }
    return result
  }
}

/// An output of `webp decode`.
struct DecodeOutput: Sendable {
  let path: String
  let format: WebP.FileFormat
  /// The folder to create if it does not exist.
  let folder: String?
  /// True if -o names this file. An existing file is then replaced.
  let isNamed: Bool

  /// Determines the output of an input.
  init(of input: InputPath, at destination: Destination, as format: WebP.FileFormat) throws(Failure) {
    self.format = format
    let named = destination.namedPath ?? (destination.folder == nil && input.path == "-" ? "-" : nil)
    isNamed = named != nil
    folder = destination.folder.map { $0 + (input.folder.isEmpty ? "" : "/" + input.folder) }
    path = named ?? "\(unnamedOutput(of: input.path, in: folder).argument).\(format.fileExtension)"
    if path == "-" { try refuseTerminal(for: format.rawValue, of: input.path) }
  }
}

/// An output, and the inputs that have this output. The first input that can be decoded is written.
struct DecodeJob: Sendable {
  let output: DecodeOutput
  var inputs: [String]
}

/// The result of a job.
struct DecodeResult: Sendable {
  /// The input that was decoded and written.
  var writtenInput: String?
  /// Messages for people, in order.
  var messages: [String] = []
  var failures = 0

  mutating func add(_ failure: Failure) {
    failures += 1
    messages.append("\(failure)")
  }
}

/// The jobs of a command line, and the inputs that are not decoded because their outputs exist.
struct DecodePlan {
  private(set) var jobs: [DecodeJob] = []
  /// The inputs whose outputs exist already.
  var existing: [(input: String, output: String)] = []
  private var jobIndices: [ContiguousArray<UInt8>: Int] = [:]

  mutating func add(_ input: String, to output: DecodeOutput) {
    if output.path != "-", let index = jobIndices[output.path.systemBytes] {
      jobs[index].inputs.append(input)
    } else {
      jobIndices[output.path.systemBytes] = jobs.count
      jobs.append(DecodeJob(output: output, inputs: [input]))
    }
  }
}
