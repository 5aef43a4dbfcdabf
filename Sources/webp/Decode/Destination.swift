import CommandSystem
import PureWebP
import WebPExport

/// Where outputs go, and what kind of file they are.
struct Destination {
  /// What was given with -o.
  let output: String?
  /// What was asked for by name.
  let format: WebP.FileFormat?
  /// Whether files may be replaced that were not named.
  let replaces: Bool
  /// What has been written, and from which input.
  private var taken: [ContiguousArray<UInt8>: String] = [:]

  init(output: String?, format: WebP.FileFormat?, replaces: Bool) {
    self.output = output
    self.format = format
    self.replaces = replaces
  }

  /// Whether the output may replace a file: -o names it, or --force was given.
  func mayReplace(_ path: String) -> Bool { replaces || path == output }

  func place(for input: String) throws(Failure) -> (path: String, format: WebP.FileFormat) {
    if let output, output != "-", !isFolder(output) {
      guard let format = format ?? (output.pathExtension.isEmpty ? .png : output.namedFormat) else {
        let known = WebP.FileFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(output, "\(unknownKind); name one with --format: \(known)")
      }
      return (output, format)
    }
    let format = format ?? .png
    if output == "-" || (output == nil && input == "-") {
      try refuseTerminal(for: format.rawValue, of: input)
      return ("-", format)
    }
    let path = "\(unnamedOutput(of: input, in: output).argument).\(format.fileExtension)"
    if let other = taken[path.systemBytes] {
      throw Failure(input, "\(path) has been written from \(other) just now")
    }
    if !replaces { try refuseToReplace(path, by: input) }
    return (path, format)
  }

  /// The folder to make, if it is not there.
  var folder: String? { output.flatMap { $0.endsInSlash ? $0 : nil } }

  /// The place has been written to: nothing else is to go there.
  mutating func fill(_ path: String, from input: String) { taken[path.systemBytes] = input }

  private func isFolder(_ path: String) -> Bool { path.endsInSlash || FileKind(path) == .folder }
}
