#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Has the terminal at standard output, if there is one, write plain text again when a signal ends the process. Otherwise
/// it would go on in the colours, or with the picture, in whose midst it was left.
package func resetTerminalBeforeEnd() {
  guard FileDescriptor.standardOutput.isTerminal else { return }
  beforeEnd { number in
    // The end of a control string, none of the colours, a new line.
    let reset: StaticString = "\u{1B}\\\u{1B}[0m\n"
    _ = unsafe write(STDOUT_FILENO, reset.utf8Start, reset.utf8CodeUnitCount)
    endProcess(by: number)
  }
}
