import ArgumentParser
import CommandSystem
import SystemPackage

/// An input file.
struct InputPath: Sendable {
  let path: String
  /// The folder of the file, relative to the folder that is an operand. Empty if the file itself is the operand.
  var folder = ""
}

/// The inputs of a command that reads files and folders.
struct InputOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"), completion: .webPFile)
  var operands: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read further names from a file, one on each line or separated by null bytes; - is standard input.",
      valueName: "file"),
    completion: .file())
  var filesFrom: String?

  @Flag(name: .shortAndLong, help: "Search folders for WebP files.")
  var recursive = false

  @Flag(help: "With -r: find WebP files by their first bytes instead of the extension webp.")
  var all = false

  func validate() throws {
    if all && !recursive { throw ValidationError("--all needs -r") }
    if filesFrom == "-" && operands.contains("-") {
      throw ValidationError("standard input cannot be both an input and the list of --files-from")
    }
  }

  /// Adds the names in the file that --files-from specifies to the operands.
  ///
  /// - Parameter subcommand: the subcommand, for errors.
  mutating func readList(of subcommand: String) throws {
    if let filesFrom {
      let list: [UInt8]
      do throws(Failure) { list = try readInput(filesFrom, limit: .max, protecting: false) } catch {
        throw reported(error)
      }
      let separator = list.contains(0) ? 0 : UInt8(ascii: "\n")
      operands += list.split(separator: separator).map { String(systemBytes: Array($0)) }
    }
    if operands.isEmpty && filesFrom == nil {
      throw UsageError(message: "no input; name a file, or - for standard input", subcommand: subcommand)
    }
  }

  /// Returns the inputs, with each folder replaced by the WebP files in it.
  ///
  /// - Parameter verb: what the command does with the files in a folder, for messages.
  /// - Returns: the files and the failures of folders, and the number of other files in the folders.
  func find(verb: String) -> (inputs: [Result<InputPath, Failure>], otherFiles: Int) {
    var otherFiles = 0
    let inputs = operands.flatMap { path -> [Result<InputPath, Failure>] in
      guard path != "-", isFolder(path) else { return [.success(InputPath(path: path))] }
      guard recursive else { return [.failure(Failure(path, "a folder; -r \(verb) the WebP files in it"))] }
      let search = FolderSearch(path, byContent: all)
      otherFiles += search.otherFiles
      if search.results.isEmpty { return [.failure(Failure(path, "no WebP files in this folder"))] }
      return search.results.map { result in
        result.map { file in
          let file = FilePath(argument: file)
          let folder = file.removingLastComponent().argument
          return InputPath(path: FilePath(argument: path).pushing(file).argument, folder: folder)
        }
      }
    }
    return (inputs, otherFiles)
  }

  /// Describes the files in folders that were not processed. Nil if all files were considered.
  func note(on otherFiles: Int) -> String? {
    guard otherFiles > 0 else { return nil }
    return all
      ? "\(counted(otherFiles, "other file"))" : "\(counted(otherFiles, "other file")) not looked at (--all does)"
  }
}
