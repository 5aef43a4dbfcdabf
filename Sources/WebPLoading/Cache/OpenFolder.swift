import Foundation

/// A folder that is open, so that symbolic links in its path are resolved once.
///
/// `FileManager` is not used. On Linux, it lists a symbolic link to a folder as empty, without an error, and each
/// property of a file takes a system call.
final class OpenFolder {
  enum Operation { case open, list, create, rename, remove }

  /// Returns the error with which an operation fails before it begins, given the name of its file, or nil.
  typealias Faults = @Sendable (Operation, String) -> POSIXErrorCode?

  struct File {
    let name: String
    let isRegular: Bool
    let isFolder: Bool
    let size: StatedNumber
    /// The modification date, in seconds since 1970.
    let modified: TimeInterval
  }

  private let descriptor: Int32
  private let faults: Faults

  /// - Throws: `POSIXError`. Its code is `ENOENT` if there is no folder, and `ENOTDIR` for other files.
  init(_ folder: URL, _ faults: @escaping Faults = { _, _ in nil }) throws(POSIXError) {
    self.faults = faults
    if let fault = faults(.open, "") { throw POSIXError(fault) }
    descriptor = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw POSIXError.last }
  }

  deinit { close(descriptor) }

  /// Lists the files whose names satisfy the predicate, in one pass. Files that are removed meanwhile may be missing.
  ///
  /// - Throws: `POSIXError` if the folder was not read to its end.
  func files(where isWanted: (String) -> Bool) throws(POSIXError) -> [File] {
    if let fault = faults(.list, "") { throw POSIXError(fault) }
    // A descriptor with a position of its own.
    let position = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard position >= 0, let stream = unsafe fdopendir(position) else {
      let error = POSIXError.last
      if position >= 0 { close(position) }
      throw error
    }
    defer { unsafe closedir(stream) }
    var files: [File] = []
    while true {
      errno = 0
      guard let item = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &item.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
      }
      if isWanted(name), let file = file(name) { files.append(file) }
    }
    if errno != 0 { throw POSIXError.last }
    return files
  }

  /// The properties of a file, or nil if it does not exist. Links are not followed.
  private func file(_ name: String) -> File? {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    let kind = status.st_mode & S_IFMT
    return File(
      name: name, isRegular: kind == S_IFREG, isFolder: kind == S_IFDIR, size: StatedNumber(status.st_size),
      modified: TimeInterval(modified.tv_sec) + TimeInterval(modified.tv_nsec) / 1e9)
  }

  /// Removes a file, but not a folder. If there is no file, or a folder, nothing happens.
  ///
  /// - Throws: `POSIXError` if the file remains.
  func remove(_ name: String) throws(POSIXError) {
    if let fault = faults(.remove, name) { throw POSIXError(fault) }
    if unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { return }
    let error = POSIXError.last
    if file(name)?.isFolder == true { return }
    throw error
  }

  /// Renames a file, replacing any other one.
  func rename(_ old: String, to new: String) throws(POSIXError) {
    if let fault = faults(.rename, new) { throw POSIXError(fault) }
    if unsafe renameat(descriptor, old, descriptor, new) != 0 { throw POSIXError.last }
  }

  /// Returns the length of a regular file, or 0.
  func length(of name: String) -> Int {
    file(name).flatMap { $0.isRegular ? $0.size.value : nil } ?? 0
  }

  /// Creates a file that only the user may read, and writes the parts one after the other. There must be no such file.
  ///
  /// - Throws: `POSIXError`. A file that could not be written completely is removed.
  func create(_ name: String, _ parts: [Data]) throws(POSIXError) {
    if let fault = faults(.create, name) { throw POSIXError(fault) }
    let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if file < 0 { throw POSIXError.last }
    var error: POSIXError?
    for part in parts where error == nil { error = Self.write(part, to: file) }
    // Some file systems report a lack of space here.
    if close(file) != 0, error == nil { error = POSIXError.last }
    if let error {
      unsafe unlinkat(descriptor, name, 0)
      throw error
    }
  }

  private static func write(_ data: Data, to file: Int32) -> POSIXError? {
    unsafe data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe Foundation.write(file, bytes.baseAddress! + written, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return POSIXError.last }
        written += count
      }
      return nil
    }
  }
}

extension POSIXError {
  /// The error of the last system call.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
