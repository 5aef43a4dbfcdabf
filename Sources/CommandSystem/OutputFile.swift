import Dispatch
import SystemPackage

/// Writes a file. The file exists at its path only when it is complete; see `OutputFile`.
///
/// - Parameters:
///   - path: the path of the file, or `-` for standard output.
///   - replacing: whether an existing file is replaced. Otherwise `Errno.fileExists` is thrown.
///   - folder: a folder to create, with its parents, if it does not exist.
///   - time: the modification time of the file. Nil is the time at which it is written.
///   - body: receives a function that writes the next bytes of the file.
/// - Throws: `Errno`, or an error of `body`.
package func writeOutput<Result>(
  _ path: String, replacing: Bool = true, makingFolder folder: String? = nil, modified time: ModificationTime? = nil,
  _ body: (_ write: (ContiguousArray<UInt8>) throws -> Void) throws -> Result
) throws -> Result {
  let file = try OutputFile(path, replacing: replacing, makingFolder: folder)
  let result = try body(file.write)
  try file.finish(modified: time)
  return result
}

/// An output file that exists at its path only when it is complete.
///
/// The bytes are written to a temporary file in the same folder, which is renamed at the end. If the file replaces
/// another one, it gets the permissions of that file. If the path is a symbolic link, the file that it leads to is
/// replaced. Standard output, paths of file descriptors such as `/dev/fd/7`, devices and pipes are written directly.
///
/// An existing file can be writable although it cannot be replaced: its folder is not writable, or the file is mounted.
/// The complete output is then copied into the file. A line on standard error reports that, because the file is
/// incomplete meanwhile.
final class OutputFile {
  private typealias Paths = (temporary: FilePath, final: FilePath)

  private let descriptor: FileDescriptor
  /// Nil if the output is written directly.
  private let paths: Paths?
  /// The path as the user specified it, for messages.
  private let name: String
  private let replaces: Bool
  /// The file that is to be replaced, and the reason why it must be overwritten instead. Nil if it can be replaced.
  private var overwritten: Errno?
  private var identity: FileIdentity?
  private var isOpen = true

  /// Creates the temporary file, or opens the path if it is written directly.
  ///
  /// - Parameters:
  ///   - path: the path of the file, or `-` for standard output.
  ///   - replacing: whether an existing file is replaced. Otherwise ``finish()`` throws `Errno.fileExists`.
  ///   - folder: a folder to create, with its parents, if it does not exist. If created folders are empty when the
  ///     process ends, they are removed.
  /// - Throws: `Errno`, or `OutputIsInput` if the file is one of ``ProtectedFiles``.
  init(_ path: String, replacing: Bool, makingFolder folder: String?) throws {
    name = path
    replaces = replacing
    if path == "-" {
      descriptor = try FileDescriptor.standardOutput.duplicate()
      paths = nil
      return
    }
    if ProtectedFiles.contain(path), FileKind(path) == .file { throw OutputIsInput() }
    let path = FilePath(argument: path)
    if let number = descriptorNumber(namedBy: path) {
      descriptor = try FileDescriptor(rawValue: number).duplicate()
      paths = nil
      return
    }
    switch FileKind(path) {
    case .folder: throw Errno.isDirectory
    case .other:
      descriptor = try .open(path, .writeOnly, options: .closeOnExec)
      paths = nil
    case .nothing, .brokenLink:
      (descriptor, paths) = try Self.temporaryFile(
        for: endOfLinks(path), permissions: Self.defaultPermissions, makingFolder: folder)
    case .file:
      try checkWritable(path)
      let status = try Stat(path)
      identity = FileIdentity(status)
      // Until the temporary file has the permissions of the file that it replaces, only its owner may open it.
      do {
        (descriptor, paths) = try Self.temporaryFile(for: resolvingLinks(path), permissions: .ownerReadWrite)
      } catch let error as Errno where [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error) {
        guard replacing else { throw Errno.fileExists }
        overwritten = error
        let folder = FilePath(argument: environment("TMPDIR") ?? "/tmp")
        let (file, temporary) = try ProcessEnd.createFile(in: folder, permissions: .ownerReadWrite)
        (descriptor, paths) = (file, (temporary, resolvingLinks(path)))
        return
      }
      try setPermissions(status.permissions.intersection(Self.allPermissions), of: descriptor)
    }
  }

  /// Reading and writing for everyone, from which the system removes the permissions in the process's umask.
  private static let defaultPermissions = FilePermissions(rawValue: 0o666)
  private static let allPermissions = FilePermissions(rawValue: 0o777)

  /// Creates the temporary file for `path` in the same folder. Symbolic links in the folder's path are resolved, so
  /// that the final path is in the same folder even if a link changes.
  ///
  /// The folder is created repeatedly if necessary, because another process removes folders that it has created and
  /// that are empty when it ends.
  private static func temporaryFile(
    for path: FilePath, permissions: FilePermissions, makingFolder created: String? = nil
  ) throws -> (FileDescriptor, Paths) {
    guard let name = path.lastComponent else { throw Errno.noSuchFileOrDirectory }
    for _ in 0..<(created == nil ? 1 : 100) {
      do {
        if let created { try ProcessEnd.createFolder(FilePath(argument: created)) }
        let folder = resolvingLinks(path.folder)
        let (file, temporary) = try ProcessEnd.createFile(in: folder, permissions: permissions)
        return (file, (temporary, folder.appending(name)))
      } catch Errno.noSuchFileOrDirectory { continue }
    }
    throw MissingFolder(folder: path.folder)
  }

  deinit {
    guard isOpen else { return }
    try? descriptor.close()
    if let paths { ProcessEnd.removeFile(paths.temporary) }
  }

  func write(_ bytes: ContiguousArray<UInt8>) throws { _ = try descriptor.writeAll(bytes) }

  /// Moves the file to its path. If this method is not called, the temporary file is removed.
  ///
  /// - Parameter time: the modification time of the file. Nil is the time at which it was written.
  func finish(modified time: ModificationTime?) throws {
    isOpen = false
    guard let (temporary, final) = paths else { return try descriptor.close() }
    do {
      try time?.set(on: descriptor)
      try descriptor.close()
      if overwritten == nil {
        do {
          return try ProcessEnd.moveFile(temporary, to: final, replacing: replaces)
        } catch let error as Errno where replaces && identity != nil && [.resourceBusy, .improperLink].contains(error) {
          overwritten = error
        }
      }
      try overwrite(final, by: temporary, modified: time)
      ProcessEnd.removeFile(temporary)
    } catch {
      ProcessEnd.removeFile(temporary)
      throw error
    }
  }

  /// Copies the output into the existing file, which must still be the same file.
  ///
  /// The bytes after the end of the old contents are written first. If there is no space for them, the old contents
  /// remain.
  private func overwrite(_ path: FilePath, by temporary: FilePath, modified time: ModificationTime?) throws {
    guard let identity, let overwritten else { return }
    let file = try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    try file.closeAfter {
      let status = try Stat(file)
      guard FileIdentity(status) == identity else { throw overwritten }
      if ProtectedFiles.contain(path.argument) { throw OutputIsInput() }
      printError("webp: \(name): written in place, because it cannot be replaced (\(overwritten))")
      let output = try FileDescriptor.open(temporary, .readOnly, options: .closeOnExec)
      try output.closeAfter {
        do { try file.copy(output, from: status.size) } catch {
          try? file.resize(to: status.size)
          throw error
        }
        do {
          try file.copy(output, from: 0)
          try file.resize(to: output.seek(offset: 0, from: .end))
        } catch let error as Errno { throw IncompleteFile(cause: error) }
        try time?.set(on: file)
      }
    }
  }
}

/// The error of an existing file that was overwritten only in part.
struct IncompleteFile: Error, CustomStringConvertible {
  let cause: Errno
  var description: String { "\(cause); the file is incomplete" }
}

/// The error of an output in a folder that does not exist.
struct MissingFolder: Error, CustomStringConvertible {
  let folder: FilePath
  var description: String { "there is no folder \(folder.argument)" }
}

extension FileDescriptor {
  /// Copies the bytes of another file from an offset on to the same offsets of this file.
  fileprivate func copy(_ other: FileDescriptor, from start: Int64) throws {
    for file in [self, other] { try file.seek(offset: start, from: .start) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try other.read(into: &bytes, from: 0), count > 0 { try writeAll(bytes.prefix(count)) }
  }
}

/// The input files of this process, which no output may replace.
package enum ProtectedFiles {
  private static let lock = DispatchQueue(label: "protected files")
  // Accessed with the lock held.
  nonisolated(unsafe) private static var identities: Set<FileIdentity> = []

  /// Protects a file. Ignores `-` and paths that do not exist.
  package static func add(_ path: String) {
    if path != "-", let identity = FileIdentity(path) { add(identity) }
  }

  static func add(_ identity: FileIdentity) { lock.sync { _ = unsafe identities.insert(identity) } }

  /// Returns whether the path leads to an input file, even if its name differs or it is a link.
  package static func contain(_ path: String) -> Bool {
    guard let identity = FileIdentity(path) else { return false }
    return lock.sync { unsafe identities.contains(identity) }
  }
}

/// The error of an output that would replace an input file.
struct OutputIsInput: Error, CustomStringConvertible {
  var description: String { "an input file is never replaced" }
}
