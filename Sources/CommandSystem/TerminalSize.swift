#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How many characters a terminal shows.
package struct TerminalSize {
  package let columns: Int
  package let rows: Int

  /// Of the terminal at standard output; 80 × 24 if there is none.
  package static var current: Self {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Self(columns: 80, rows: 24)
    }
    return Self(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
