import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The kind of object that a path leads to.
package enum FileKind {
  case nothing, file, folder
  /// A symbolic link whose destination does not exist.
  case brokenLink
  /// A device, a pipe, or a path such as `/dev/fd/7` that names a file descriptor of this process. Output is written to
  /// it directly, because a new file cannot replace it.
  case other

  package init(_ path: String) { self.init(FilePath(argument: path)) }

  init(_ path: FilePath) {
    guard let status = try? Stat(path) else {
      let link = try? Stat(path, followTargetSymlink: false)
      self = link?.type == .symbolicLink ? .brokenLink : .nothing
      return
    }
    switch status.type {
    case .regular: self = descriptorNumber(namedBy: path) == nil ? .file : .other
    case .directory: self = .folder
    default: self = .other
    }
  }
}

/// Indicates whether a path leads to a folder. This takes one system call. `FileKind` takes a dozen for a file, to
/// recognize paths of descriptors.
package func isFolder(_ path: String) -> Bool { (try? Stat(FilePath(argument: path)))?.type == .directory }

/// The identity of a file. Several paths can lead to the same file.
package struct FileIdentity: Hashable, Sendable {
  private let device: DeviceID
  private let inode: Inode

  /// Creates the identity of the file that a path leads to, or nil if there is no file.
  package init?(_ path: String) {
    guard let status = try? Stat(FilePath(argument: path)) else { return nil }
    self.init(status)
  }

  init(_ status: Stat) { (device, inode) = (status.deviceID, status.inode) }
}

/// Returns the file descriptor of this process that a path names, directly (`/dev/fd/7`) or through symbolic links
/// (`/dev/stdout`). Returns nil if the path does not name one.
///
/// Output to such a path must use the descriptor. On Linux, the path is a link to the file that was opened. Opening
/// that file again would overwrite it from its start.
func descriptorNumber(namedBy path: FilePath) -> Int32? {
  let folders = ["/dev/fd", "/proc/self/fd"].map(resolvingLinks)
  return linkChain(path).lazy.compactMap { path in
    path.lastComponent.flatMap { Int32($0.string) }.flatMap {
      folders.contains(resolvingLinks(path.folder)) ? $0 : nil
    }
  }.first
}

/// Returns the absolute path without symbolic links, or `path` itself if it does not exist.
func resolvingLinks(_ path: FilePath) -> FilePath {
  unsafe path.withPlatformString { path in
    guard let resolved = unsafe realpath(path, nil) else { return unsafe FilePath(platformString: path) }
    defer { unsafe free(resolved) }
    return unsafe FilePath(platformString: resolved)
  }
}

/// Returns the path that a chain of symbolic links leads to, even if it does not exist.
func endOfLinks(_ path: FilePath) throws(Errno) -> FilePath {
  guard let end = linkChain(path).first(where: { linkTarget($0) == nil }) else { throw .tooManySymbolicLinkLevels }
  return end
}

/// Returns the path, followed by the target of each symbolic link in the chain. The chain ends after 40 paths, because
/// Linux follows at most 40 links.
private func linkChain(_ path: FilePath) -> some Sequence<FilePath> {
  sequence(first: path) { path in linkTarget(path).map { path.folder.pushing($0) } }.prefix(40)
}

/// Returns the contents of a symbolic link, or nil if the path is not a link.
func linkTarget(_ path: FilePath) -> FilePath? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
  let count = unsafe path.withPlatformString { unsafe readlink($0, &bytes, Int(PATH_MAX)) }
  return count > 0 ? FilePath(platformString: bytes) : nil
}
