import CommandSystem
import PureWebP
import WebPExport

/// Determines the paths and formats of outputs.
struct Destination {
  /// The operand of -o, which names a file or a folder.
  let output: String?
  /// The format that an option specifies.
  let format: WebP.FileFormat?

  /// An output of `webp decode`.
  struct Output: Sendable {
    let path: String
    let format: WebP.FileFormat
    /// The folder to create if it does not exist.
    let folder: String?
    /// True if -o names this file. An existing file is then replaced.
    let isNamed: Bool
  }

  /// Determines the output of an input.
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
