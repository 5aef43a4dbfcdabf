#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size of the terminal at standard output.
package struct TerminalSize {
  package let columns: Int
  package let rows: Int
  /// The size of one character cell, in pixels. Nil if the terminal does not report it.
  package let cell: (width: Int, height: Int)?

  /// The current size. If standard output is not a terminal, 80 columns and 24 rows.
  package static var current: Self {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Self(columns: 80, rows: 24, cell: nil)
    }
    let cell = (width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    return Self(
      columns: Int(size.ws_col), rows: Int(size.ws_row), cell: cell.width > 0 && cell.height > 0 ? cell : nil)
  }
}
