import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A temporary file that is removed if a signal ends the process.
@safe struct UnfinishedFile {
  let path: FilePath
  private let removal: UnsafeMutablePointer<PendingRemovals.Entry>

  /// A name for a temporary file in `folder`. The file is to be created afterward.
  init(in folder: FilePath) {
    path = folder.appending(".webp-\(getpid())-\(PendingRemovals.nextNumber()).part")
    unsafe removal = PendingRemovals.add(path, isFolder: false)
  }

  /// The file does not exist any more, or is to stay.
  func forget() { unsafe removal.pointee.isPending = false }

  func remove() {
    removeFile(path)
    forget()
  }
}

/// Folders that this process created, which are removed when it ends if they are empty.
enum CreatedFolders {
  /// Creates a folder and its parents.
  static func create(_ path: FilePath) throws(Errno) {
    guard FileKind(path) != .folder else { return }
    let parent = path.removingLastComponent()
    if !parent.isEmpty { try create(parent) }
    if try makeFolder(path) { _ = unsafe PendingRemovals.add(resolvingLinks(path), isFolder: true) }
  }
}
