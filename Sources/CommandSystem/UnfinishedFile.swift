import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A temporary file that is removed when the process ends, even if a signal ends it.
@safe struct UnfinishedFile {
  let path: FilePath
  private let removal: UnsafeMutablePointer<PendingRemovals.Entry>

  /// Chooses a path in `folder`. The caller then creates the file.
  init(in folder: FilePath) {
    path = folder.appending(".webp-\(getpid())-\(PendingRemovals.nextNumber()).part")
    unsafe removal = PendingRemovals.add(path, isFolder: false)
  }

  /// Cancels the removal, because the file does not exist any more or must be kept.
  func forget() { unsafe removal.pointee.isPending = false }

  func remove() {
    removeFile(path)
    forget()
  }
}

/// Folders that this process created. If they are empty when the process ends, they are removed.
enum CreatedFolders {
  /// Creates a folder and its parents.
  static func create(_ path: FilePath) throws(Errno) {
    guard FileKind(path) != .folder else { return }
    let parent = path.removingLastComponent()
    if !parent.isEmpty { try create(parent) }
    if try makeFolder(path) { _ = unsafe PendingRemovals.add(resolvingLinks(path), isFolder: true) }
  }
}
