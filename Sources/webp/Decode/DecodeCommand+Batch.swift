import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

// The outputs of all inputs, and the distribution of inputs over threads.

extension DecodeCommand {
  /// Determines the outputs of each input, and checks that they may be written. Nothing is decoded or written.
  ///
  /// - Throws: `UsageError` if two inputs have the same output.
  func plan(
    _ inputs: [Result<InputPath, Failure>], to destination: Destination, as format: WebP.FileFormat
  ) throws -> DecodePlan {
    var plan = DecodePlan()
    var owners = OutputOwners(subcommand: "decode")
    for case .success(let input) in inputs { ProtectedFiles.add(input.path) }
    for input in inputs {
      let path = try? input.get().path
      do {
        let input = try input.get()
        let outputs = try outputs(of: input, at: destination, as: format)
        let isNew = try outputs.allSatisfy {
          try $0.path == "-" || owners.add(input.path, output: $0.path, advice: "{folder} in -o keeps their folders")
        }
        if !isNew { continue }
        let new = try outputs.filter { try !skips($0, of: input.path) }
        let existing = outputs.map(\.path).filter { path in !new.contains { $0.path == path } }
        if new.isEmpty || !existing.isEmpty && !skipsOutputs {
          plan.existing.append((input.path, existing))
        } else {
          plan.jobs.append(DecodeJob(input: input.path, outputs: new))
        }
      } catch let error as Failure {
        plan.results.append(FileResult(path ?? error.path, error))
      }
    }
    return plan
  }

  /// Returns the outputs of an input: one for each size that differs from the others.
  private func outputs(
    of input: InputPath, at destination: Destination, as format: WebP.FileFormat
  ) throws(Failure) -> [DecodeOutput] {
    guard case .pattern(let pattern) = destination, pattern.hasSize else {
      return [try DecodeOutput(of: input, at: destination, as: format, box: image.boxes.first)]
    }
    let info = try headers(of: input.path)
    var outputs: [DecodeOutput] = []
    for box in image.boxes.isEmpty ? [nil] : image.boxes.map(Optional.init) {
      let size: WebP.Size
      do throws(WebP.DecodeError) {
        size = try image.applied(to: options, for: info, box: box).outputSize(for: info)
      } catch { throw Failure(input.path, error) }
      let output = try DecodeOutput(of: input, at: destination, as: format, box: box, size: size)
      guard let other = outputs.first(where: { $0.path == output.path }) else {
        outputs.append(output)
        continue
      }
      if other.size != size { throw Failure(input.path, "\(output.path) is the output of several sizes") }
    }
    return outputs
  }

  /// Reads as many bytes of a file as determine the size of its outputs.
  private func headers(of path: String) throws(Failure) -> WebP.ImageInfo {
    if path == "-" || FileKind(path) == .other {
      throw Failure(path, "{width} and {height} need a file, because a pipe cannot be read twice")
    }
    // The orientation usually follows the pixels.
    return try image.upright ? info(of: resources.readInput(path), path) : info(of: readStart(of: path), path)
  }

  /// Indicates whether an output exists and is not replaced.
  private func skips(_ output: DecodeOutput, of input: String) throws(Failure) -> Bool {
    guard output.path != "-" else { return false }
    if ProtectedFiles.contain(output.path), FileKind(output.path) == .file {
      try checkIsWebP(input)
      throw Failure(input, "\(output.path) is an input file, which is never replaced; -o names another output")
    }
    guard skipsOutputs || !output.isNamed && !force, FileKind(output.path) != .nothing else { return false }
    if update, let old = ModificationTime(of: output.path), let new = ModificationTime(of: input), !old.isUpToDate(new)
    {
      return false
    }
    try checkIsWebP(input)
    return true
  }

  /// Adds the results of the inputs whose outputs exist already. Several of them are reported in one message.
  func addExisting(to plan: inout DecodePlan) {
    let count = plan.existing.reduce(0) { $0 + $1.outputs.count }
    for (index, (input, outputs)) in plan.existing.enumerated() {
      var result = FileResult(input)
      if skipsOutputs {
        let reason = update ? "is not older" : "exists"
        if verbose { result.messages = outputs.map { "\(input): skipped, \($0) \(reason)" } }
      } else {
        result.add(Failure(input, existsAlready(outputs[0])))
        if count > 1 {
          let message = "webp: \(count) outputs exist already, such as \(outputs[0])"
          result.messages = index == 0 ? [message + "; --force replaces them, --skip-existing skips them"] : []
        }
      }
      plan.results.append(result)
    }
  }

  /// Runs the jobs on several threads, and reports the results in the order of the jobs.
  ///
  /// - Returns: the report, and the number of jobs that were not begun because the disk is full.
  func run(_ plan: DecodePlan) throws -> (report: BatchReport, notBegun: Int) {
    let start = secondsNow
    let jobs = plan.jobs
    var (done, report) = (0, BatchReport(json: json.output))
    /// Shows the progress. The text is short, so that it still fits if the user makes the terminal narrower.
    func showProgress() {
      guard jobs.count > 1 && !quiet && !verbose else { return }
      var text = "\(done) of \(jobs.count)"
      if report.failed > 0 { text += ", \(report.failed) failed" }
      if done > 0 && done < jobs.count {
        let left = Int(((secondsNow - start) / Double(done) * Double(jobs.count - done)).rounded(.up))
        text += ", \(left / 60):\(String(left % 60).padded(to: 2, with: "0")) left"
      }
      ProgressLine.show(text)
    }
    for result in plan.results { _ = report.add(result) }
    showProgress()
    let command = self
    resources.forEach(jobs) { job, resources in
      var command = command
      command.resources = resources
      return command.run(job, isOnly: jobs.count == 1)
    } receive: { result in
      done += 1
      let continues = report.add(result)
      showProgress()
      return continues
    }
    try report.finish()
    return (report, jobs.count - done)
  }

  /// - Parameter isOnly: whether there are no other jobs, so that the progress of this job is shown.
  private func run(_ job: DecodeJob, isOnly: Bool) -> FileResult {
    var result = FileResult(job.input)
    do throws(Failure) {
      var decoder = try FileDecoder(self, job.input, isOnly: isOnly)
      try decoder.write(job.outputs)
      result.isWritten = true
      result.messages = decoder.messages
      if let fault = decoder.fault { result.add(fault) }
    } catch {
      result.add(error)
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
  /// Indicates whether -o names this file. An existing file is then replaced.
  let isNamed: Bool
  /// The box of --fit or --fill.
  let box: Box?
  /// The size of the output, if its name contains it.
  let size: WebP.Size?

  /// Determines the output of an input.
  init(
    of input: InputPath, at destination: Destination, as format: WebP.FileFormat, box: Box?, size: WebP.Size? = nil
  ) throws(Failure) {
    (self.format, self.box, self.size) = (format, box, size)
    if case .pattern(let pattern) = destination {
      path = try pattern.path(for: input, size: size)
      folder = FilePath(argument: path).folder.argument
      isNamed = false
      return
    }
    let named = destination.namedPath ?? (destination.folder == nil && input.path == "-" ? "-" : nil)
    isNamed = named != nil
    let subfolder = destination.folder == nil || input.isOperand ? "" : try input.folder()
    folder = destination.folder.map { $0 + (subfolder.isEmpty ? "" : "/" + subfolder) }
    path = named ?? "\(unnamedOutput(of: input.path, in: folder).argument).\(format.fileExtension)"
    if path == "-" { try refuseTerminal(for: format.rawValue, of: input.path) }
  }
}

/// An input, and the outputs that are written.
struct DecodeJob: Sendable {
  let input: String
  let outputs: [DecodeOutput]
}

/// The jobs of a command line, and the inputs that have none.
struct DecodePlan {
  var jobs: [DecodeJob] = []
  /// The inputs whose outputs exist already.
  var existing: [(input: String, outputs: [String])] = []
  /// The results of the inputs that have no job.
  var results: [FileResult] = []
}
