import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
  import MachO
#endif

/// Replaces the program of this process by another program. Returns only if that fails.
///
/// - Parameters:
///   - program: a path, or a name to look up on the PATH.
///   - words: the command line of the new program, beginning with its name.
/// - Returns: the error.
package func exec(_ program: String, _ words: [String]) -> Errno {
  // The memory is never freed, because this process ends even if the call fails.
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0.cString) }
  unsafe pointers.append(nil)
  _ = unsafe execvp(program.cString, pointers)
  return .current
}

/// The path of this program without symbolic links, or nil if the system does not report it.
package var programPath: FilePath? {
  #if canImport(Darwin)
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    var size = UInt32(bytes.count)
    guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
    return resolvingLinks(FilePath(platformString: bytes))
  #else
    return linkTarget("/proc/self/exe")
  #endif
}
