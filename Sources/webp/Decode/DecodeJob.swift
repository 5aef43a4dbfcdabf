import CommandSystem
import PureWebP
import WebPExport

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
  private(set) var existing: [(input: String, output: String)] = []
  private var jobIndices: [ContiguousArray<UInt8>: Int] = [:]

  mutating func add(_ input: String, to output: DecodeOutput) {
    if output.path != "-", let index = jobIndices[output.path.systemBytes] {
      jobs[index].inputs.append(input)
    } else {
      jobIndices[output.path.systemBytes] = jobs.count
      jobs.append(DecodeJob(output: output, inputs: [input]))
    }
  }

  mutating func addExisting(_ input: String, _ output: String) { existing.append((input, output)) }
}
