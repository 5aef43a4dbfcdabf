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

/// The identity of a file, which is the same by all of its names.
package struct FileIdentity: Hashable, Sendable {
  private let device: DeviceID
  private let inode: Inode

  /// Nil if the path leads to nothing.
  package init?(_ path: String) {
    guard let status = try? Stat(FilePath(argument: path)) else { return nil }
    (device, inode) = (status.deviceID, status.inode)
  }
}

/// The file descriptor of this process that a path names, directly (`/dev/fd/7`) or through symbolic links
/// (`/dev/stdout`). Nil if the path does not name one.
///
/// On Linux such a name is a link to the file that was opened. Opening that file again would write at its start.
func descriptorNumber(namedBy path: FilePath) -> Int32? {
  let folders = ["/dev/fd", "/proc/self/fd"].map(resolvingLinks)
  return linkChain(path).lazy.compactMap { path in
    path.lastComponent.flatMap { Int32($0.string) }.flatMap {
      folders.contains(resolvingLinks(path.folder)) ? $0 : nil
    }
  }.first
}

/// The absolute path without symbolic links; the path itself if it leads to nothing.
func resolvingLinks(_ path: FilePath) -> FilePath {
  unsafe path.withPlatformString { path in
    guard let resolved = unsafe realpath(path, nil) else { return unsafe FilePath(platformString: path) }
    defer { unsafe free(resolved) }
    return unsafe FilePath(platformString: resolved)
  }
}

/// The path that symbolic links lead to, whether or not it exists.
func endOfLinks(_ path: FilePath) throws(Errno) -> FilePath {
  guard let end = linkChain(path).first(where: { linkTarget($0) == nil }) else { throw .tooManySymbolicLinkLevels }
  return end
}

/// The path, followed by the target of each symbolic link in the chain. At most 40 paths, because Linux follows at most
/// 40 links.
private func linkChain(_ path: FilePath) -> some Sequence<FilePath> {
  sequence(first: path) { path in linkTarget(path).map { path.folder.pushing($0) } }.prefix(40)
}

/// The contents of a symbolic link; nil if the path is not one.
func linkTarget(_ path: FilePath) -> FilePath? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
  let count = unsafe path.withPlatformString { unsafe readlink($0, &bytes, Int(PATH_MAX)) }
  return count > 0 ? FilePath(platformString: bytes) : nil
}
