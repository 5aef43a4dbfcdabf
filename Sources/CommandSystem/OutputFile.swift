import SystemPackage

/// An output file that exists at its path only when it is complete.
///
/// The bytes are written to a temporary file in the same folder, which is renamed at the end. If the file replaces
/// another one, it gets the permissions of that file. If the path is a symbolic link, the file that it leads to is
/// replaced. Standard output, paths of file descriptors such as `/dev/fd/7`, devices and pipes are written directly.
final class OutputFile {
  private enum Destination {
    case stream
    case file(temporary: FilePath, final: FilePath)
  }

  private let descriptor: FileDescriptor
  private let destination: Destination
  private let replaces: Bool
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
    replaces = replacing
    if path == "-" {
      descriptor = try FileDescriptor.standardOutput.duplicate()
      destination = .stream
      return
    }
    if ProtectedFiles.contain(path), FileKind(path) == .file { throw OutputIsInput() }
    if let folder { try ProcessEnd.createFolder(FilePath(argument: folder)) }
    let path = FilePath(argument: path)
    if let number = descriptorNumber(namedBy: path) {
      descriptor = try FileDescriptor(rawValue: number).duplicate()
      destination = .stream
      return
    }
    switch FileKind(path) {
    case .folder: throw Errno.isDirectory
    case .other:
      descriptor = try .open(path, .writeOnly, options: .closeOnExec)
      destination = .stream
    case .nothing, .brokenLink:
      (descriptor, destination) = try Self.temporaryFile(for: endOfLinks(path), permissions: Self.defaultPermissions)
    case .file:
      try checkWritable(path)
      let permissions = try Stat(path).permissions.intersection(Self.allPermissions)
      // Until the temporary file has the permissions of the file that it replaces, only its owner may open it.
      (descriptor, destination) = try Self.temporaryFile(for: resolvingLinks(path), permissions: .ownerReadWrite)
      try setPermissions(permissions, of: descriptor)
    }
  }

  /// Reading and writing for everyone, from which the system removes the permissions in the process's umask.
  private static let defaultPermissions = FilePermissions(rawValue: 0o666)
  private static let allPermissions = FilePermissions(rawValue: 0o777)

  /// Creates the temporary file for `path` in the same folder. Symbolic links in the folder's path are resolved, so
  /// that the final path is in the same folder even if a link changes.
  private static func temporaryFile(
    for path: FilePath, permissions: FilePermissions
  ) throws -> (FileDescriptor, Destination) {
    guard let name = path.lastComponent else { throw Errno.noSuchFileOrDirectory }
    let folder = resolvingLinks(path.folder)
    let (file, temporary) = try ProcessEnd.createFile(in: folder, permissions: permissions)
    return (file, .file(temporary: temporary, final: folder.appending(name)))
  }

  deinit {
    guard isOpen else { return }
    try? descriptor.close()
    if case .file(let temporary, _) = destination { ProcessEnd.removeFile(temporary) }
  }

  func write(_ bytes: ContiguousArray<UInt8>) throws { _ = try descriptor.writeAll(bytes) }

  /// Moves the file to its path. If this method is not called, the temporary file is removed.
  ///
  /// - Parameter time: the modification time of the file. Nil is the time at which it was written.
  func finish(modified time: ModificationTime?) throws {
    isOpen = false
    guard case .file(let temporary, let final) = destination else { return try descriptor.close() }
    do {
      try time?.set(on: descriptor)
      try descriptor.close()
      try ProcessEnd.moveFile(temporary, to: final, replacing: replaces)
    } catch {
      ProcessEnd.removeFile(temporary)
      throw error
    }
  }
}
