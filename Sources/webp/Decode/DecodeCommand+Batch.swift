import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage
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
          plan.addExisting(input.path, output.path)
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
  func run(_ jobs: [DecodeJob], _ result: inout DecodeResult) -> (written: Int, failed: Int) {
    var progress = BatchProgress(
      total: jobs.count, isShown: jobs.count > 1 && !quiet && !verbose, failed: result.failures)
    func report(_ result: DecodeResult) {
      if !result.messages.isEmpty { ProgressLine.clear() }
      for message in result.messages { printError(message) }
    }
    report(result)
    threads.forEach(jobs) { job, threads in
      var command = self
      command.threads = threads
      return command.run(job)
    } receive: { done in
      report(done)
      progress.count(done)
    }
    ProgressLine.clear()
    return (progress.written, progress.failed)
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
