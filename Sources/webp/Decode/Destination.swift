import CommandSystem
import PureWebP
import WebPExport

/// The names and formats of outputs.
struct Destination {
  /// The operand of -o.
  let output: String?
  /// The format that an option specifies.
  let format: WebP.FileFormat?

  /// An output of `webp decode`.
  struct Output: Sendable {
    let path: String
    let format: WebP.FileFormat
    /// The folder to create if it does not exist.
    let folder: String?
    /// True if -o names the file. It is then replaced if it exists.
    let isNamed: Bool
  }

  /// - Parameter input: the path of the input, and the folder of the output relative to the operand of -o.
  func output(for input: DecodeInput) throws(Failure) -> Output {
    if let output, output != "-", !isFolder(output) {
      guard let format = format ?? (output.pathExtension.isEmpty ? .png : output.namedFormat) else {
        let known = WebP.FileFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(output, "\(unknownKind); specify one with --format: \(known)")
      }
      return Output(path: output, format: format, folder: nil, isNamed: true)
    }
    let format = format ?? .png
    if output == "-" || (output == nil && input.path == "-") {
      try refuseTerminal(for: format.rawValue, of: input.path)
      return Output(path: "-", format: format, folder: nil, isNamed: true)
    }
    let folder = output.map { $0 + (input.folder.isEmpty ? "" : "/" + input.folder) }
    let path = "\(unnamedOutput(of: input.path, in: folder).argument).\(format.fileExtension)"
    return Output(path: path, format: format, folder: folder, isNamed: false)
  }

  /// True if -o names a folder: a path that exists as a folder, or ends in a slash.
  var isFolder: Bool { output.map(isFolder) ?? false }

  private func isFolder(_ path: String) -> Bool { path.endsInSlash || FileKind(path) == .folder }
}
