import ArgumentParser
import CommandSystem
import SystemPackage

/// An input file.
struct InputPath: Sendable {
  let path: String
  /// The path without the parts that outputs do not repeat: the folder that -r searches, if it is an operand.
  let name: String
  /// Indicates whether the file itself is an operand, whose output is placed directly in the folder that -o names.
  let isOperand: Bool

  init(_ path: String, name: String? = nil, isOperand: Bool) {
    (self.path, self.name, self.isOperand) = (path, name ?? path, isOperand)
  }

  /// The folder of `name`, without a leading slash and without `.`, as `cp --parents` creates it.
  ///
  /// - Throws: If the path contains `..`, because the output might be outside of the folder that -o names.
  func folder() throws(Failure) -> String {
    let components = FilePath(argument: name).removingLastComponent().components
    if components.contains(where: { $0.kind == .parentDirectory }) {
      throw Failure(path, "the path contains .., so its output might be outside of the folder of -o")
    }
    let names = components.filter { $0.kind == .regular }
    return FilePath(root: nil, names).argument
  }
}

/// The inputs of a command that reads files and folders.
struct InputOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "in"), completion: .webPFile)
  var operands: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Read further names from a file, one on each line or separated by null bytes; - is standard input. Outputs keep \
      the folders of these names.
      """,
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

  /// Returns the operands and the names of the list, with each folder replaced by the WebP files in it.
  ///
  /// - Parameters:
  ///   - subcommand: the subcommand, for errors.
  ///   - verb: what the command does with the files in a folder, for messages.
  /// - Returns: the files and the failures of folders, and the number of other files in the folders.
  func find(
    for subcommand: String, verb: String
  ) throws -> (inputs: [Result<InputPath, Failure>], otherFiles: Int) {
    if operands.isEmpty && filesFrom == nil {
      throw UsageError(message: "no input; name a file, or - for standard input", subcommand: subcommand)
    }
    var otherFiles = 0
    func files(at path: String, isOperand: Bool) -> [Result<InputPath, Failure>] {
      guard path != "-", isFolder(path) else { return [.success(InputPath(path, isOperand: isOperand))] }
      guard recursive else { return [.failure(Failure(path, "a folder; -r \(verb) the WebP files in it"))] }
      let search = FolderSearch(path, byContent: all)
      otherFiles += search.otherFiles
      if search.results.isEmpty {
        return [.failure(Failure(path, "no WebP files in this folder", kind: Failure.missing))]
      }
      return search.results.map { result in
        result.map { file in
          let path = FilePath(argument: path).pushing(FilePath(argument: file)).argument
          return InputPath(path, name: isOperand ? file : path, isOperand: false)
        }
      }
    }
    let listed = try listedNames()
    return (
      operands.flatMap { files(at: $0, isOperand: true) } + listed.flatMap { files(at: $0, isOperand: false) },
      otherFiles
    )
  }

  /// The names in the file that --files-from specifies.
  private func listedNames() throws -> [String] {
    guard let filesFrom else { return [] }
    var list: ArraySlice<UInt8>
    do throws(Failure) { list = try readInput(filesFrom, limit: .max, protecting: false)[...] } catch {
      throw reported(error)
    }
    if list.contains(0) { return list.split(separator: 0).map { String(systemBytes: Array($0)) } }
    // Lists from Windows may begin with a byte order mark, and their lines end with CR LF.
    if list.starts(with: [0xEF, 0xBB, 0xBF]) { list = list.dropFirst(3) }
    let lines = list.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    return lines.filter { !$0.isEmpty }.map { String(systemBytes: Array($0)) }
  }

  /// Describes the files in folders that were not processed. Nil if all files were considered.
  func note(on otherFiles: Int) -> String? {
    guard otherFiles > 0 else { return nil }
    return all
      ? "\(counted(otherFiles, "other file"))" : "\(counted(otherFiles, "other file")) not looked at (--all does)"
  }
}
