/// A file that appears under its name when it is complete, and not at all otherwise.
///
/// It is written beside its place under another name, then moved there. A symbolic link stays one, and what it leads to is
/// the place. Standard output, devices and pipes are written as they are.
package final class OutputFile {
  private enum Place {
    case stream
    case file(temporary: String, final: String)
  }

  private let descriptor: FileDescriptor
  private let place: Place
  private var isOpen = true

  /// - Parameter path: `-` for standard output.
  /// - Throws: `SystemError`.
  package init(_ path: String) throws {
    guard path != "-" else {
      descriptor = .standardOutput
      place = .stream
      return
    }
    let kind = FileKind(path)
    guard kind != .other else {
      descriptor = try .writing(path)
      place = .stream
      return
    }
    guard kind != .folder else { throw SystemError.isFolder }
    let final: String
    switch kind {
    case .nothing: final = path
    case .brokenLink: final = try endOfLinks(path)
    default:
      guard isWritable(path) else { throw SystemError.noPermission }
      final = resolvingLinks(path)
    }
    let temporary: String
    (descriptor, temporary) = try Self.makeTemporaryFile(beside: final)
    if kind == .file { copyPermissions(from: final, to: temporary) }
    place = .file(temporary: temporary, final: final)
  }

  /// In a container a process often has the number of one before it, which may have been killed and left its file.
  private static func makeTemporaryFile(beside path: String) throws(SystemError) -> (FileDescriptor, String) {
    var attempt = 0
    while true {
      let temporary = "\(path).\(processIdentifier)\(attempt == 0 ? "" : "-\(attempt)").part"
      UnfinishedFile.begin(temporary)
      do {
        return (try .creating(temporary), temporary)
      } catch {
        UnfinishedFile.end()
        attempt += 1
        guard error.code == SystemError.exists.code, attempt < 100 else { throw error }
      }
    }
  }

  deinit {
    guard isOpen, case .file = place else { return }
    try? descriptor.close()
    UnfinishedFile.remove()
  }

  package func write(_ bytes: ContiguousArray<UInt8>) throws { try descriptor.write(bytes) }

  /// Puts the file in its place. Without this call it vanishes.
  package func finish() throws {
    guard descriptor.number != FileDescriptor.standardOutput.number else { return }
    guard case .file(let temporary, let final) = place else {
      isOpen = false
      return try descriptor.close()
    }
    isOpen = false
    do {
      try descriptor.close()
      try moveFile(temporary, to: final)
      UnfinishedFile.end()
    } catch {
      UnfinishedFile.remove()
      throw error
    }
  }
}
