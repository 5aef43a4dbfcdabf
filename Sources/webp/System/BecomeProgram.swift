#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs another program in the place of this one; returns only if that fails.
///
/// - Parameter program: a path, or a name that is looked for on the PATH.
func becomeProgram(_ program: String, _ arguments: [String]) -> SystemError {
  // Never freed: either way this program has come to its end.
  var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) }
  unsafe words.append(nil)
  _ = unsafe execvp(program, words)
  return .last
}
