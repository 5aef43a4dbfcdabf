import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

// The distribution of inputs over threads.

extension DecodeCommand {
  /// Returns the inputs of the command line, and the number of other files in folders. Adds the failures of folders to
  /// the result.
  func findInputs(_ result: inout DecodeResult) -> (inputs: [InputPath], otherFiles: Int) {
    let (found, otherFiles) = inputs.find(verb: "decodes")
    var paths: [InputPath] = []
    for input in found {
      do throws(Failure) { paths.append(try input.get()) } catch { result.add(error) }
    }
    return (paths, otherFiles)
  }

  /// Determines the output of each input, and checks that it may be written. Nothing is decoded.
  func plan(
    _ inputs: [InputPath], to destination: Destination, as format: WebP.FileFormat, _ result: inout DecodeResult
  ) -> DecodePlan {
    var plan = DecodePlan()
    let boxes: [Box?] = image.boxes.isEmpty ? [nil] : image.boxes
    for input in inputs { ProtectedFiles.add(input.path) }
    for input in inputs {
      do throws(Failure) {
        var outputs: [DecodeOutput] = []
        for box in boxes {
          let output = try DecodeOutput(of: input, at: destination, as: format, box: box)
          let isInput = output.path != "-" && ProtectedFiles.contain(output.path)
          if isInput { try checkIsWebP(input.path) }
          if isInput && FileKind(output.path) == .file {
            throw Failure(
              input.path, "\(output.path) is an input file, which is never replaced; -o names another output")
          }
          if output.path != "-", skips(output, of: input.path) {
            try checkIsWebP(input.path)
            plan.existing.append((input.path, output.path))
          } else {
            outputs.append(output)
          }
        }
        try plan.add(input.path, to: outputs)
      } catch {
        result.add(error)
      }
    }
    return plan
  }

  /// Indicates whether an output exists and is not replaced.
  private func skips(_ output: DecodeOutput, of input: String) -> Bool {
    guard skipsOutputs || !output.isNamed && !force, FileKind(output.path) != .nothing else { return false }
    guard update, let old = ModificationTime(of: output.path), let new = ModificationTime(of: input) else {
      return true
    }
    return !old.isBefore(new)
  }

  /// Reports the outputs that exist already. Several of them are reported in one message.
  func reportExisting(_ plan: DecodePlan, _ result: inout DecodeResult) {
    guard let first = plan.existing.first else { return }
    guard !skipsOutputs else {
      let reason = update ? "is not older" : "exists"
      if verbose { result.messages += plan.existing.map { "\($0.input): skipped, \($0.output) \(reason)" } }
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
  /// - Returns: the numbers of inputs. If the disk is full, the remaining jobs are not begun.
  func run(_ jobs: [DecodeJob], _ result: DecodeResult) -> (written: Int, failed: Int, notBegun: Int) {
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
    for message in result.messages { printError(message) }
    showProgress()
    let command = self
    resources.forEach(jobs) { job, resources in
      var command = command
      command.resources = resources
      return command.run(job, isOnly: jobs.count == 1)
    } receive: { result in
      for message in result.messages { printError(message) }
      done += 1
      if result.writtenInput != nil { written += 1 }
      failed += result.failures
      showProgress()
      return !result.endsBatch
    }
    ProgressLine.clear()
    return (written, failed, jobs.count - done)
  }

  /// - Parameter isOnly: whether there are no other jobs, so that the progress of this job is shown.
  private func run(_ job: DecodeJob, isOnly: Bool) -> DecodeResult {
    var result = DecodeResult()
    for input in job.inputs {
      if let writtenInput = result.writtenInput {
        result.add(Failure(input, "\(job.outputs[0].path) has been written from \(writtenInput) just now"))
        continue
      }
      do throws(Failure) {
        var decoder = try FileDecoder(self, input, isOnly: isOnly)
        try decoder.write(job.outputs)
        result.writtenInput = input
        result.messages += decoder.messages
        if let fault = decoder.fault { result.add(fault) }
      } catch {
        result.add(error)
      }
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

  /// Determines the output of an input.
  init(of input: InputPath, at destination: Destination, as format: WebP.FileFormat, box: Box?) throws(Failure) {
    self.format = format
    self.box = box
    if case .pattern(let pattern) = destination {
      path = pattern.path(for: input, box: box)
      folder = FilePath(argument: path).folder.argument
      isNamed = false
      return
    }
    let named = destination.namedPath ?? (destination.folder == nil && input.path == "-" ? "-" : nil)
    isNamed = named != nil
    folder = destination.folder.map { $0 + (input.folder.isEmpty ? "" : "/" + input.folder) }
    path = named ?? "\(unnamedOutput(of: input.path, in: folder).argument).\(format.fileExtension)"
    if path == "-" { try refuseTerminal(for: format.rawValue, of: input.path) }
  }
}

/// The outputs of an input, and the inputs that have these outputs. The first input that can be decoded is written.
struct DecodeJob: Sendable {
  let outputs: [DecodeOutput]
  var inputs: [String]
}

/// The result of a job.
struct DecodeResult: Sendable {
  /// The input that was decoded and written.
  var writtenInput: String?
  /// Messages for people, in order.
  var messages: [String] = []
  var failures = 0
  /// Indicates whether no more files can be written.
  private(set) var endsBatch = false

  mutating func add(_ failure: Failure) {
    failures += 1
    endsBatch = endsBatch || failure.endsBatch
    messages.append("\(failure)")
  }
}

/// The jobs of a command line, and the inputs that are not decoded because their outputs exist.
struct DecodePlan {
  private(set) var jobs: [DecodeJob] = []
  /// The inputs whose outputs exist already.
  var existing: [(input: String, output: String)] = []
  private var jobIndices: [ContiguousArray<UInt8>: Int] = [:]

  /// - Parameter outputs: the outputs of the input that are to be written, which may be none.
  mutating func add(_ input: String, to outputs: [DecodeOutput]) throws(Failure) {
    let paths = outputs.map(\.path.systemBytes)
    guard let first = paths.first else { return }
    if outputs[0].path != "-", let index = jobIndices[first], jobs[index].outputs.map(\.path.systemBytes) == paths {
      jobs[index].inputs.append(input)
      return
    }
    for (path, output) in zip(paths, outputs) where output.path != "-" {
      if jobIndices.updateValue(jobs.count, forKey: path) != nil {
        throw Failure(input, "\(output.path) is the output of several sizes")
      }
    }
    jobs.append(DecodeJob(outputs: outputs, inputs: [input]))
  }
}
