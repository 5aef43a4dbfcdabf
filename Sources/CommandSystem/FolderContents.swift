import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the paths of the WebP files in a folder and its subfolders, by their extension. The paths are sorted, and
/// relative to the folder. Symbolic links to folders are not followed.
package func webPFiles(in folder: String) throws -> [String] {
  try filesRecursively(in: FilePath(argument: folder)).map(\.argument)
    .filter { $0.pathExtension.lowercased() == "webp" }
}

private func filesRecursively(in folder: FilePath) throws(Errno) -> [FilePath] {
  var files: [FilePath] = []
  for name in try names(in: folder).sorted(by: { $0.argument < $1.argument }) {
    let path = folder.pushing(name)
    guard let status = try? Stat(path, followTargetSymlink: false) else { continue }
    if status.type == .directory {
      files += try filesRecursively(in: path).map { name.pushing($0) }
    } else {
      files.append(name)
    }
  }
  return files
}

private func names(in folder: FilePath) throws(Errno) -> [FilePath] {
  guard let stream = unsafe folder.withPlatformString({ unsafe opendir($0) }) else { throw .current }
  defer { unsafe closedir(stream) }
  var names: [FilePath] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe FilePath(platformString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}
