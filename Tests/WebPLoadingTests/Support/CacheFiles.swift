import Foundation

/// The regular files of a cache, in its folder and in subfolders.
func cacheFiles(in folder: URL) throws -> [URL] {
  try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appendingPathComponent($0) }.filter {
    try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
  }
}
