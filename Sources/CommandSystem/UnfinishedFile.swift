// A file that is being written must not outlive the process that writes it. Signal handlers may do next to nothing, but
// they may remove a file whose name is ready as a C string.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that is being written; there is one at a time.
enum UnfinishedFile {
  // Written by the thread that writes the file before the file is made and after it is gone, read by the handler alone.
  nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var isWatching = false

  static func begin(_ newPath: String) {
    end()
    unsafe path = strdup(newPath.cString)
    if unsafe isWatching { return }
    unsafe isWatching = true
    beforeEnd { number in
      if let path = unsafe UnfinishedFile.path { unsafe unlink(path) }
      endProcess(by: number)
    }
  }

  static func end() {
    let old = unsafe path
    unsafe path = nil
    unsafe free(old)
  }

  /// Removes the file.
  static func remove() {
    if let path = unsafe path { unsafe unlink(path) }
    end()
  }
}
