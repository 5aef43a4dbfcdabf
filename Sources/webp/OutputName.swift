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

/// Returns the path without extension of an output whose name -o does not specify. It is derived from the input's name,
/// and is next to the input or in `folder`.
func unnamedOutput(of input: String, in folder: String?) -> FilePath {
  var path = FilePath(argument: input == "-" ? "stdin" : input)
  path.extension = nil
  guard let folder, let name = path.lastComponent else { return path }
  return FilePath(argument: folder).appending(name)
}

/// The message for an output that would replace a file.
func existsAlready(_ path: String) -> String { "\(path) exists already; --force replaces it, -o names another output" }

/// Throws a `Failure` if `path` exists. Called for outputs whose names -o does not specify.
func refuseToReplace(_ path: String, by input: String) throws(Failure) {
  if FileKind(path) != .nothing {
    throw Failure(input, existsAlready(path))
  }
}
