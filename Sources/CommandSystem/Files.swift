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
    guard !replacing, [.notPermitted, .notSupported, .notSupportedOnSocket].contains(error) else { throw error }
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

  /// Creates the time of a file, or nil if there is no file.
  package init?(of path: String) {
    var status = stat()
    guard path != "-", unsafe stat(path.cString, &status) == 0 else { return nil }
    #if canImport(Darwin)
      time = status.st_mtimespec
    #else
      time = status.st_mtim
    #endif
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
