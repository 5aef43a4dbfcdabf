/// A file that appears under its name when it is complete, and not at all otherwise.
///
/// It is written beside its place under another name, then moved there. A symbolic link stays one, and what it leads to is
/// the place. A file that is there already changes nothing but its contents: where moving another to its place would, or is
/// not possible, they are copied, which does not happen at once. Standard output, open files that are named by their
/// numbers, devices and pipes are written as they are.
final class OutputFile {
  private enum Place {
    case stream
    case file(temporary: String, final: String, way: Way)
  }

  /// How what was written comes to its place.
  private enum Way {
    case move, moveOrCopy, copy
  }

  private let descriptor: FileDescriptor
  private let place: Place
  /// The folder that was made for the file.
  private let madeFolder: String?
  private var isOpen = true

  /// - Parameters:
  ///   - path: `-` for standard output.
  ///   - folder: one to make if it is not there. If the file does not appear, nor does it.
  /// - Throws: `SystemError`.
  init(_ path: String, makingFolder folder: String? = nil) throws {
    madeFolder = try folder.flatMap { try makeFolder($0) ? $0 : nil }
    if let number = path == "-" ? FileDescriptor.standardOutput.number : descriptorNumber(namedBy: path) {
      descriptor = try .duplicating(number)
      place = .stream
      return
    }
    switch FileKind(path) {
    case .folder: throw SystemError.isFolder
    case .other:
      descriptor = try .writing(path)
      place = .stream
    case .nothing, .brokenLink:
      let final = try endOfLinks(path)
      let temporary: String
      (descriptor, temporary) = try Self.makeTemporaryFile(
        in: final.folderPrefix, permissions: 0o666, madeFolder: madeFolder)
      place = .file(temporary: temporary, final: final, way: .move)
    case .file:
      try checkWritable(path)
      let final = resolvingLinks(path)
      let temporary: String
      (descriptor, temporary) = try Self.makeTemporaryFile(toReplace: final)
      let isTwin = descriptor.becomeTwin(of: final, at: temporary)
      place = .file(temporary: temporary, final: final, way: isTwin ? .moveOrCopy : .copy)
    }
  }

  /// Nobody else may open it, as perhaps nobody may open what it replaces. Where the folder takes no more files, it is made
  /// in the one for temporary files.
  private static func makeTemporaryFile(toReplace path: String) throws(SystemError) -> (FileDescriptor, String) {
    do {
      return try makeTemporaryFile(in: path.folderPrefix, permissions: 0o600)
    } catch {
      let folder = (environment("TMPDIR") ?? "/tmp").asFolder
      return try makeTemporaryFile(in: folder[...], permissions: 0o600)
    }
  }

  /// In a container a process often has the number of one before it, which may have been killed and left its file.
  private static func makeTemporaryFile(
    in folder: Substring, permissions: UInt16, madeFolder: String? = nil
  ) throws(SystemError) -> (FileDescriptor, String) {
    for attempt in 0..<100 {
      let temporary = "\(folder).webp-\(processIdentifier)-\(attempt).part"
      UnfinishedFile.begin(temporary, madeFolder: madeFolder)
      do {
        return (try .creating(temporary, permissions: permissions), temporary)
      } catch {
        UnfinishedFile.end()
        guard error.code == SystemError.exists.code else { throw error }
      }
    }
    throw .exists
  }

  deinit {
    guard isOpen else { return }
    try? descriptor.close()
    if case .file = place { UnfinishedFile.remove() }
    if let madeFolder { removeFolder(madeFolder) }
  }

  func write(_ bytes: ContiguousArray<UInt8>) throws { try descriptor.write(bytes) }

  /// Puts the file in its place. Without this call it vanishes.
  func finish() throws {
    isOpen = false
    guard case .file(let temporary, let final, let way) = place else { return try descriptor.close() }
    func move() throws {
      try moveFile(temporary, to: final)
      UnfinishedFile.end()
    }
    defer { UnfinishedFile.remove() }
    try descriptor.close()
    switch way {
    case .move: try move()
    case .moveOrCopy: do { try move() } catch { try copyUnfinished(temporary, to: final) }
    case .copy: try copyUnfinished(temporary, to: final)
    }
  }
}
