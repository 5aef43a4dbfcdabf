#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
  import MachO
#endif

/// Runs another program in the place of this one; returns only if that fails.
///
/// - Parameters:
///   - program: a path, or a name that is looked for on the PATH.
///   - words: of its command line, the name that it is called by first.
package func becomeProgram(_ program: String, _ words: [String]) -> SystemError {
  // Never freed: either way this program has come to its end.
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0.cString) }
  unsafe pointers.append(nil)
  _ = unsafe execvp(program.cString, pointers)
  return .last
}

/// Where this program is, whatever links it was called by; nil: the system does not tell.
package var programPath: String? {
  #if canImport(Darwin)
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    var size = UInt32(bytes.count)
    guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
    return resolvingLinks(unsafe String(systemWord: bytes))
  #else
    return linkTarget("/proc/self/exe")
  #endif
}
