import CommandSystem
import PureWebP

/// An input of `webp decode`.
struct DecodeInput: Sendable {
  let path: String
  /// The folder of the output, relative to the operand of -o. Empty unless the input was found with --recursive.
  var folder = ""
}

/// An output, and the inputs that have this output. The first input that can be decoded is written.
struct DecodeJob: Sendable {
  let output: Destination.Output
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
  private(set) var existing: [(input: String, output: String)] = []
  private var jobIndices: [ContiguousArray<UInt8>: Int] = [:]

  mutating func add(_ input: String, to output: Destination.Output) {
    if output.path != "-", let index = jobIndices[output.path.systemBytes] {
      jobs[index].inputs.append(input)
    } else {
      jobIndices[output.path.systemBytes] = jobs.count
      jobs.append(DecodeJob(output: output, inputs: [input]))
    }
  }

  mutating func addExisting(_ input: String, _ output: String) { existing.append((input, output)) }
}
