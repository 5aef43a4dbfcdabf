import CommandSystem
import PureWebP
import SystemPackage
import WebPExport

// The names of outputs, for all commands that write images.

extension String {
  /// The file format that the path's extension indicates.
  var namedFormat: WebP.FileFormat? { WebP.FileFormat(fileExtension: pathExtension) }
}

let unknownKind = "unknown output format"

/// The path of an output that -o does not name, without its extension. The output is next to the input, or in a folder.
func unnamedOutput(of input: String, in folder: String?) -> FilePath {
  var path = FilePath(argument: input == "-" ? "stdin" : input)
  path.extension = nil
  guard let folder, let name = path.lastComponent else { return path }
  return FilePath(argument: folder).appending(name)
}

/// The message for an output that would replace a file.
func existsAlready(_ path: String) -> String { "\(path) exists already; --force replaces it, -o names another output" }

/// Refuses to replace an existing file by an output that -o does not name.
func refuseToReplace(_ path: String, by input: String) throws(Failure) {
  if FileKind(path) != .nothing {
    throw Failure(input, existsAlready(path))
  }
}
