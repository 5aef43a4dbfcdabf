import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Installs handlers that reset the terminal at standard output, if there is one, when a signal ends the process.
/// Without these handlers, the terminal might still have another color, a hidden cursor or an unfinished control string
/// afterwards.
package func resetTerminalBeforeEnd() {
  guard FileDescriptor.standardOutput.isTerminal else { return }
  beforeTermination { number in
    // String terminator, default colors, visible cursor, new line.
    let reset: StaticString = "\u{1B}\\\u{1B}[0m\u{1B}[?25h\n"
    _ = unsafe write(STDOUT_FILENO, reset.utf8Start, reset.utf8CodeUnitCount)
    terminate(by: number)
  }
}
