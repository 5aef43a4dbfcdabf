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
  /// A device, a pipe, an open file of this process by its number: something that cannot be replaced by a file.
  case other

  package init(_ path: String) {
    var status = stat()
    guard unsafe stat(path.cString, &status) == 0 else {
      let isLink = unsafe lstat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
      self = isLink ? .brokenLink : .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = descriptorNumber(namedBy: path) == nil ? .file : .other
    case S_IFDIR: self = .folder
    default: self = .other
    }
  }
}

/// The number of the open file of this process that a path names, itself or by a link: /dev/stdout, /dev/fd/7.
///
/// On Linux such a name is itself a link, to the file that was opened: who follows it opens that file anew, at its start.
func descriptorNumber(namedBy path: String) -> Int32? {
  let folders = ["/dev/fd", "/proc/self/fd"].map(resolvingLinks)
  return linkChain(path).lazy.compactMap { path in
    Int32(path.lastPathComponent).flatMap { folders.contains(resolvingLinks(path.folderPrefix + ".")) ? $0 : nil }
  }.first
}

/// The path that symbolic links lead to, where there is something.
func resolvingLinks(_ path: String) -> String {
  guard let resolved = unsafe realpath(path.cString, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(systemWord: resolved)
}

/// The path that symbolic links lead to, though there be nothing.
func endOfLinks(_ path: String) throws(SystemError) -> String {
  guard let end = linkChain(path).first(where: { linkTarget($0) == nil }) else { throw .endlessLinks }
  return end
}

/// The path and those that symbolic links lead to from there, one after another, as many as Linux follows.
private func linkChain(_ path: String) -> some Sequence<String> {
  sequence(first: path) { path in
    linkTarget(path).map { $0.beginsWithSlash ? $0 : path.folderPrefix + $0 }
  }.prefix(40)
}

/// What a symbolic link says; nil: it is none.
func linkTarget(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path.cString, &bytes, bytes.count)
  return count > 0 ? String(systemBytes: bytes.prefix(count).map { UInt8(bitPattern: $0) }) : nil
}

func checkWritable(_ path: String) throws(SystemError) {
  guard unsafe access(path.cString, W_OK) == 0 else { throw .last }
}

/// - Returns: whether the folder has been made; false: something of that name is there.
func makeFolder(_ path: String) throws(SystemError) -> Bool {
  if unsafe mkdir(path.cString, 0o777) == 0 { return true }
  guard errno == EEXIST else { throw .last }
  return false
}

/// Removes a folder if it is empty.
func removeFolder(_ path: String) { _ = unsafe rmdir(path.cString) }

func moveFile(_ from: String, to: String) throws(SystemError) {
  guard unsafe rename(from.cString, to.cString) == 0 else { throw .last }
}
