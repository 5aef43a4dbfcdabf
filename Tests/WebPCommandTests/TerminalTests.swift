#if os(Linux)
  import Foundation
  import Testing

  @Suite struct TerminalTests {
    let command = try! Command()

    /// Nobody reads more than the beginning until the command is told to end, and terminals take no more than 64 KiB: it is
    /// in the middle of a picture.
    @Test(arguments: ["cells", "kitty", "iterm2"])
    func whoeverIsInterruptedLeavesPlainText(_ terminal: String) throws {
      try command.bring("alpha-large.webp", as: "a.webp")
      let (reader, writer) = Self.terminal()
      defer { close(reader) }
      let process = Process()
      process.executableURL = command.folder.appendingPathComponent("webp")
      process.arguments = ["view", "--protocol", terminal, "--columns", "200"] + repeatElement("a.webp", count: 9)
      process.currentDirectoryURL = command.folder
      process.standardOutput = FileHandle(fileDescriptor: writer)
      try Command.withoutBlockedSignals { try process.run() }
      close(writer)
      var text = read(reader)
      kill(process.processIdentifier, SIGTERM)
      while case let more = read(reader), !more.isEmpty { text += more }
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
      #expect(text.suffix(8) == Data("\u{1B}\\\u{1B}[0m\r\n".utf8), "\(text.suffix(20))")
    }

    /// Whatever whoever runs the tests has them ignore, as nohup does.
    @Test(arguments: (1...64).filter { !withoutEnd.contains($0) })
    func whoeverIsEndedLeavesNoFile(_ signal: Int32) throws {
      let (reader, writer) = Self.terminal()
      defer { close(reader) }
      let process = try waitingProcess("exec env --default-signal ./webp decode a.webp -o new/", in: "new/", at: writer)
      close(writer)
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
      #expect(try command.files == ["a.webp"])
    }

    @Test(arguments: ["HUP": SIGHUP, "INT": SIGINT, "TERM": SIGTERM])
    func whatIsIgnoredEndsNothing(_ name: String, _ signal: Int32) throws {
      let (reader, writer) = Self.terminal()
      defer { for number in [reader, writer] { close(number) } }
      let process = try waitingProcess("trap '' \(name); exec ./webp decode a.webp", at: writer)
      kill(process.processIdentifier, signal)
      #expect(tcflow(writer, TCOON) == 0)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(try command.files == ["a.webp", "a.png"])
    }

    /// The terminal is stopped, and the command waits to tell of its first frame: its file is there and has nothing in it.
    private func waitingProcess(_ line: String, in folder: String = "", at writer: Int32) throws -> Process {
      try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
      #expect(tcflow(writer, TCOOFF) == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      // Without the file that some systems keep of a process that has crashed.
      process.arguments = ["-c", "ulimit -c 0; \(line)"]
      process.currentDirectoryURL = command.folder
      process.standardError = FileHandle(fileDescriptor: writer)
      try Command.withoutBlockedSignals { try process.run() }
      let part = command.folder.appendingPathComponent("\(folder).webp-\(process.processIdentifier)-0.part")
      while process.isRunning && !FileManager.default.fileExists(atPath: part.path) { usleep(1000) }
      return process
    }

    /// What wraps at the end of a row could not be cleared: the cursor must never leave the first one.
    @Test func progressTakesOneRow() throws {
      let names = ["a", "b\u{1B}[2J\n"].map { $0 + String(repeating: "b", count: 200) + ".webp" }
      for name in names { try command.bring("encoder-cwebp-q75.webp", as: name) }
      let (reader, writer) = Self.terminal()
      defer { close(reader) }
      let process = Process()
      process.executableURL = command.folder.appendingPathComponent("webp")
      process.arguments = ["decode"] + names
      process.currentDirectoryURL = command.folder
      process.standardError = FileHandle(fileDescriptor: writer)
      try process.run()
      close(writer)
      var text = Data()
      while case let more = read(reader), !more.isEmpty { text += more }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && text.contains(UInt8(ascii: "b")))

      // As a terminal of 80 columns takes it: of what controls it, nothing else is known here.
      var rest = String(decoding: text, as: UTF8.self)[...]
      var (row, column, wraps) = (0, 0, true)
      while !rest.isEmpty {
        if let control = ["\r", "\u{1B}[K", "\u{1B}[?7l", "\u{1B}[?7h"].first(where: rest.hasPrefix) {
          rest.removeFirst(control.count)
          if control == "\r" { column = 0 }
          if control.hasPrefix("\u{1B}[?7") { wraps = control.hasSuffix("h") }
          continue
        }
        #expect((" "..."~").contains(rest.removeFirst()))
        if column == 80 && wraps { (row, column) = (row + 1, 0) }
        column = min(column + 1, 80)
      }
      #expect(row == 0 && column == 0 && wraps)
    }

    /// SIGKILL, which nobody learns of, what ends no process (signal(7)), and two that the C library keeps for itself.
    private static let withoutEnd = [
      SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, 32, 33,
    ]

    /// What a terminal has of it, and what a program has, as posix_openpt and those that go with it make them.
    private static func terminal() -> (reader: Int32, writer: Int32) {
      let (setLock, getNumber) = (0x4004_5431 as UInt, 0x8004_5430 as UInt)
      // Not to become the terminal of this process, which would end with it.
      let reader = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (lock, number): (Int32, Int32) = (0, -1)
      _ = unsafe ioctl(reader, setLock, &lock)
      _ = unsafe ioctl(reader, getNumber, &number)
      return (reader, unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
    }

    /// What there is to read; nothing at the end.
    private func read(_ number: Int32) -> Data {
      var bytes = [UInt8](repeating: 0, count: 1024)
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe Foundation.read(number, $0.baseAddress, $0.count) }
      return Data(bytes.prefix(max(0, count)))
    }
  }
#endif
