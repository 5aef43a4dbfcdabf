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

func removeFile(_ path: FilePath) { _ = unsafe path.withPlatformString { unsafe unlink($0) } }

func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
  try check(fchmod(file.rawValue, mode_t(permissions.rawValue)))
}

private func check(_ result: Int32) throws(Errno) {
  guard result == 0 else { throw .current }
}

extension Errno {
  /// The error of the last call into C.
  static var current: Self { Self(rawValue: errno) }
}
