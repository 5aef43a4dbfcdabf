// A file that is being written must not outlive the process that writes it, unless it is the only one that is whole. Signal
// handlers may do next to nothing, but they may remove a file whose name is ready as a C string, and write one.

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
  nonisolated(unsafe) private static var folder: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var lastWords: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var isWatching = false

  /// - Parameter madeFolder: the folder that was made for it, which then goes with it.
  static func begin(_ newPath: String, madeFolder: String? = nil) {
    end()
    unsafe folder = madeFolder.flatMap { unsafe strdup($0.cString) }
    unsafe path = strdup(newPath.cString)
    if unsafe isWatching { return }
    unsafe isWatching = true
    beforeEnd { number in
      if let words = unsafe UnfinishedFile.lastWords {
        _ = unsafe write(STDERR_FILENO, words, strlen(words))
      } else if let path = unsafe UnfinishedFile.path {
        unsafe unlink(path)
        if let folder = unsafe UnfinishedFile.folder { unsafe rmdir(folder) }
      }
      endProcess(by: number)
    }
  }

  /// From here on, whatever ends the process says these words and leaves the file.
  static func keep(saying words: String) { unsafe lastWords = strdup(words.cString) }

  /// The file is removed again when the process ends.
  static func keepNoMore() {
    let old = unsafe lastWords
    unsafe lastWords = nil
    unsafe free(old)
  }

  /// There is no such file any more, or it is to stay.
  static func end() {
    let old = unsafe (path, folder)
    unsafe (path, folder) = (nil, nil)
    unsafe free(old.0)
    unsafe free(old.1)
    keepNoMore()
  }

  /// Removes the file.
  static func remove() {
    if let path = unsafe path { unsafe unlink(path) }
    end()
  }
}
