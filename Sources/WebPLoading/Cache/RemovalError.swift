import Foundation
import PureWebP

extension WebP.ImageCache {
  /// Files of a cache remain after ``removeAll()`` or ``remove(_:)``.
  public struct RemovalError: WebP.Failure, LocalizedError, CustomStringConvertible {
    /// The folder of the cache.
    public let folder: URL
    /// The files that remain. Empty if the folder cannot be listed.
    public let files: [URL]
    /// Indicates whether no process will use the files, and no later one. If false, another process may use them,
    /// because nothing could be written to the folder.
    public let areUnused: Bool
    /// The error of the file system for the folder or the first file.
    public let cause: POSIXErrorCode

    /// `output`.
    public var kind: WebP.ErrorKind { .output }

    /// The problem, in English.
    public var description: String {
      let what = files.isEmpty ? "the folder cannot be listed" : "\(files.count) files remain"
      return "\(folder.path): \(what) (\(POSIXError(cause).localizedDescription))"
    }

    /// The problem, in English.
    public var errorDescription: String? { description }
  }
}
