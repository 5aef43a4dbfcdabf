import Foundation
import PureWebP

@testable import WebPLoading

/// The regular files of a cache, in its folder and in subfolders, except for the file of its generation.
func cacheFiles(in folder: URL) throws -> [URL] {
  try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appendingPathComponent($0) }.filter {
    try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      && $0.lastPathComponent != "webpcache-generation"
  }
}

extension WebP.ImageCache {
  /// Waits for the files that are being written.
  func finishWriting() { disk?.finishWriting() }
}
