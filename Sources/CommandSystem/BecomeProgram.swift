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
/// - Parameter program: a path, or a name that is looked for on the PATH.
package func becomeProgram(_ program: String, _ arguments: [String]) -> SystemError {
  // Never freed: either way this program has come to its end.
  var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0.cString) }
  unsafe words.append(nil)
  _ = unsafe execvp(program.cString, words)
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
