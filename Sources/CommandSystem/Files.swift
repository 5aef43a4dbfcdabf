#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a path leads to.
package enum FileKind {
  case nothing, file, folder
  /// A symbolic link to nothing.
  case brokenLink
  /// A device, a pipe: something that cannot be replaced by a file.
  case other

  package init(_ path: String) {
    var status = stat()
    guard unsafe stat(path.cString, &status) == 0 else {
      let isLink = unsafe lstat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      self = isLink ? .brokenLink : .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }
}

/// The path that symbolic links lead to, where there is something.
func resolvingLinks(_ path: String) -> String {
  guard let resolved = unsafe realpath(path.cString, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(systemWord: resolved)
}

/// The path that symbolic links lead to, though there be nothing.
func endOfLinks(_ path: String) throws(SystemError) -> String {
  var path = path
  // So many does Linux follow.
  for _ in 0..<40 {
    guard let target = linkTarget(path) else { return path }
    path = target.hasPrefix("/") ? target : path.dropLast(path.lastPathComponent.count) + target
  }
  throw .endlessLinks
}

/// What a symbolic link says; nil: it is none.
func linkTarget(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path.cString, &bytes, bytes.count)
  return count > 0 ? String(systemBytes: bytes.prefix(count).map { UInt8(bitPattern: $0) }) : nil
}

func isWritable(_ path: String) -> Bool { unsafe access(path.cString, W_OK) == 0 }

package func makeFolder(_ path: String) throws(SystemError) {
  guard unsafe mkdir(path.cString, 0o777) == 0 || errno == EEXIST else { throw .last }
}

func moveFile(_ from: String, to: String) throws(SystemError) {
  guard unsafe rename(from.cString, to.cString) == 0 else { throw .last }
}

/// Gives a file the permissions that another one has.
func copyPermissions(from: String, to: String) {
  var status = stat()
  if unsafe stat(from.cString, &status) == 0 { _ = unsafe chmod(to.cString, status.st_mode & 0o7777) }
}
