import CommandSystem
import PureWebP
import WebPExport

// How outputs are called, for all commands that write pictures.

extension String {
  /// The kind of file that has such a name.
  var namedFormat: WebP.FileFormat? { WebP.FileFormat(fileExtension: String(pathExtension)) }
}

let unknownKind = "no kind of file that can be written is called so"

/// The path of an output that nobody named, but for its extension: beside the input, or in a folder.
func unnamedOutput(of input: String, in folder: String?) -> String {
  let path = input == "-" ? "stdin" : String(input.withoutExtension)
  return folder.map { $0.asFolder + path.lastPathComponent } ?? path
}

/// Keeps what is there from being replaced by an output that nobody named.
func refuseToReplace(_ path: String, by input: String) throws(Failure) {
  if FileKind(path) != .nothing {
    throw Failure(input, "\(path) is there already; --force replaces it, -o names another place")
  }
}
