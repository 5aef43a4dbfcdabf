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
  // What the new program is given lives as long as this one does, which is to say no longer.
  var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) }
  unsafe words.append(nil)
  _ = unsafe execvp(program, words)
  let error = SystemError.last
  for unsafe word in unsafe words { unsafe free(word) }
  return error
}
