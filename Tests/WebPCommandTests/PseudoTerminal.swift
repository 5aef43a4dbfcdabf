#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A pseudoterminal. The test acts as the terminal, and a program writes to it.
  final class PseudoTerminal {
    private let terminal: Int32
    /// The descriptor that the program uses. The test closes its copy after the program has started, so that reading
    /// ends when the program ends.
    private(set) var program: Int32

    /// Opens both ends like posix_openpt, unlockpt and ptsname, which Glibc's module map does not export.
    init() {
      let (setLock, getNumber) = (0x4004_5431 as UInt, 0x8004_5430 as UInt)
      // O_NOCTTY: the pseudoterminal must not become the controlling terminal of this process. Closing it would end the
      // process.
      terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (lock, number): (Int32, Int32) = (0, -1)
      _ = unsafe ioctl(terminal, setLock, &lock)
      _ = unsafe ioctl(terminal, getNumber, &number)
      program = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    }

    deinit {
      close(terminal)
      closeProgramEnd()
    }

    func closeProgramEnd() {
      if program >= 0 { close(program) }
      program = -1
    }

    /// Sets the size in cells and in pixels.
    func resize(columns: UInt16, rows: UInt16, width: UInt16 = 0, height: UInt16 = 0) {
      var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: width, ws_ypixel: height)
      _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Sends keys to the program.
    func type(_ keys: String) {
      let bytes = Array(keys.utf8)
      _ = unsafe bytes.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
    }

    /// Returns the next bytes. Returns no bytes at the end.
    func read() -> Data {
      var bytes = [UInt8](repeating: 0, count: 1024)
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe Foundation.read(terminal, $0.baseAddress, $0.count) }
      return Data(bytes.prefix(max(0, count)))
    }

    /// Returns the next bytes until they contain the words. Fails if the program ends or draws 64 MiB before.
    func read(until words: String) throws -> Data {
      var bytes = Data()
      var start = 0
      while bytes[start...].range(of: Data(words.utf8)) == nil {
        let more = read()
        try #require(!more.isEmpty && bytes.count < 1 << 26, "the program does not write \(words.debugDescription)")
        start = max(0, bytes.count - words.utf8.count + 1)
        bytes += more
      }
      return bytes
    }

    /// Returns all remaining bytes.
    func readToEnd() -> Data {
      var bytes = Data()
      while case let more = read(), !more.isEmpty { bytes += more }
      return bytes
    }
  }

  extension Command {
    /// Starts the command with its standard output, or another stream, connected to a terminal.
    ///
    /// - Parameter hasKeyboard: whether standard input is connected to the terminal, too.
    func start(
      _ arguments: [String], at terminal: PseudoTerminal,
      stream: ReferenceWritableKeyPath<Process, Any?> = \.standardOutput, hasKeyboard: Bool = false
    ) throws -> Process {
      let process = Process()
      process.executableURL = folder.appendingPathComponent("webp")
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process[keyPath: stream] = FileHandle(fileDescriptor: terminal.program)
      if hasKeyboard { process.standardInput = FileHandle(fileDescriptor: terminal.program) }
      try process.runWithoutBlockedSignals()
      terminal.closeProgramEnd()
      return process
    }
  }
#endif
