import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// Operations on paths that swift-system does not provide.

func checkWritable(_ path: FilePath) throws(Errno) {
  try check(unsafe path.withPlatformString { unsafe access($0, W_OK) })
}

/// Creates a folder.
///
/// - Returns: false if the path exists already.
func makeFolder(_ path: FilePath) throws(Errno) -> Bool {
  do throws(Errno) {
    try check(unsafe path.withPlatformString { unsafe mkdir($0, 0o777) })
    return true
  } catch {
    guard error == .fileExists else { throw error }
    return false
  }
}

/// Moves a file to another name in the same folder.
///
/// - Parameters:
///   - from: the current path.
///   - to: the new path.
///   - replacing: whether an existing file at the new path is replaced. Otherwise `Errno.fileExists` is thrown.
func moveFile(_ from: FilePath, to: FilePath, replacing: Bool) throws(Errno) {
  let result = unsafe from.withPlatformString { from in
    unsafe to.withPlatformString { to in
      unsafe replacing ? rename(from, to) : link(from, to)
    }
  }
  do throws(Errno) {
    try check(result)
    if !replacing { removeFile(from) }
  } catch {
    // If the file system has no hard links, the file is renamed. Another process might create the new path between the
    // check and this call.
    let unsupported: [Errno] = [
      .notPermitted, .notSupported, .notSupportedOnSocket, .noFunction, .permissionDenied, .ioError,
    ]
    guard !replacing, unsupported.contains(error) else { throw error }
    guard FileKind(to) == .nothing else { throw .fileExists }
    try moveFile(from, to: to, replacing: true)
  }
}

/// Removes a folder. A folder that contains files is kept.
func removeEmptyFolder(_ path: FilePath) { _ = unsafe path.withPlatformString { unsafe rmdir($0) } }

func removeFile(_ path: FilePath) { _ = unsafe path.withPlatformString { unsafe unlink($0) } }

func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
  try check(fchmod(file.rawValue, mode_t(permissions.rawValue)))
}

/// The time at which a file was last modified.
package struct ModificationTime: Sendable {
  private let time: timespec

  /// Indicates whether an output with this time is not older than its input. File systems may round the time that an
  /// output takes over from its input down to 1 or 2 seconds.
  package func isUpToDate(_ input: Self) -> Bool {
    let isRounded = time.tv_nsec == 0 && [input.time.tv_sec, input.time.tv_sec & ~1].contains(time.tv_sec)
    return isRounded || (time.tv_sec, time.tv_nsec) >= (input.time.tv_sec, input.time.tv_nsec)
  }

  /// Creates the time of a file, or nil if there is no file.
  package init?(of path: String) {
    guard path != "-", let status = try? Stat(FilePath(argument: path)) else { return nil }
    time = status.st_mtim
  }

  func set(on file: FileDescriptor) throws(Errno) {
    // The access time is set to the same time. With `UTIME_OMIT` it would not be portable.
    try check(unsafe futimens(file.rawValue, [time, time]))
  }
}

private func check(_ result: Int32) throws(Errno) {
  guard result == 0 else { throw .current }
}

extension Errno {
  /// The error of the last call into C.
  static var current: Self { Self(rawValue: errno) }
}

// MARK: Kinds and identities

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

// MARK: Folders

/// The WebP files in a folder and its subfolders.
package struct FolderSearch {
  /// The paths of the files, sorted and relative to the folder, and the failures of folders that cannot be read.
  package private(set) var results: [Result<String, Failure>] = []
  /// The number of files that are not WebP or, if the search is not by content, that have another extension.
  package private(set) var otherFiles = 0
  private let isByContent: Bool

  /// Searches a folder. Only regular files, and symbolic links to them, are considered. Links to folders are not
  /// followed.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder.
  ///   - isByContent: true to find WebP files by their first bytes. False to find them by the extension `webp`.
  package init(_ folder: String, byContent isByContent: Bool) {
    self.isByContent = isByContent
    search(FilePath(argument: folder), FilePath())
  }

  private mutating func search(_ root: FilePath, _ folder: FilePath) {
    let path = root.pushing(folder)
    let found: [FilePath]
    do throws(Errno) { found = try names(in: path) } catch {
      results.append(.failure(Failure(path.argument, error)))
      return
    }
    for name in found.sorted(by: { $0.argument < $1.argument }) {
      let file = path.pushing(name)
      guard let status = try? Stat(file, followTargetSymlink: false) else { continue }
      switch status.type {
      case .directory: search(root, folder.pushing(name))
      case .regular: add(file, folder.pushing(name))
      case .symbolicLink where (try? Stat(file))?.type == .regular: add(file, folder.pushing(name))
      default: break
      }
    }
  }

  private mutating func add(_ file: FilePath, _ relative: FilePath) {
    do {
      let hasExtension = file.argument.pathExtension.lowercased() == "webp"
      if hasExtension && isAppleDouble(file) { return }
      if try hasExtension || isByContent && isWebP(file) {
        results.append(.success(relative.argument))
      } else {
        otherFiles += 1
      }
    } catch {
      results.append(.failure(Failure(file.argument, error)))
    }
  }

  private func isWebP(_ file: FilePath) throws -> Bool {
    let start = try firstBytes(of: file, count: 12)
    return start.starts(with: "RIFF".utf8) && start.dropFirst(8).elementsEqual("WEBP".utf8)
  }

  /// Archives from macOS contain a file `._photo.webp` for each `photo.webp`.
  private func isAppleDouble(_ file: FilePath) -> Bool {
    guard file.lastComponent?.string.hasPrefix("._") == true else { return false }
    return (try? firstBytes(of: file, count: 4).starts(with: appleDoubleSignature)) == true
  }

  private func firstBytes(of file: FilePath, count: Int) throws -> [UInt8] {
    var input = try InputFile(file.argument)
    return try input.readStart(count)
  }
}

/// The first bytes of a file in which macOS stores the attributes of another file (RFC 1740, appendix B).
package let appleDoubleSignature: [UInt8] = [0x00, 0x05, 0x16, 0x07]

private func names(in folder: FilePath) throws(Errno) -> [FilePath] {
  guard let stream = unsafe folder.withPlatformString({ unsafe opendir($0) }) else { throw .current }
  defer { unsafe closedir(stream) }
  var names: [FilePath] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe FilePath(platformString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}
