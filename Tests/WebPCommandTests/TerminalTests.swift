#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Proves that progress, signals and stopped terminals are handled.
  /// Expected values: the bytes that a pseudoterminal receives, and the files that remain.
  @Suite struct TerminalTests {
    let command = try! Command()

    /// The command is interrupted in the middle of an image, because the test reads only the beginning before it sends
    /// the signal, and a terminal buffers at most 64 KiB.
    @Test(arguments: ["cells", "cells256", "kitty", "iterm2", "sixel"])
    func interruptionResetsTheTerminal(_ kind: String) throws {
      try command.bring("alpha-large.webp", as: "a.webp")
      let arguments = ["view", "--protocol", kind, "--columns", "200"] + repeatElement("a.webp", count: 9)
      let terminal = PseudoTerminal()
      terminal.resize(columns: 200, rows: 200)
      let process = try command.start(arguments, at: terminal)
      let start = terminal.read()
      kill(process.processIdentifier, SIGTERM)
      let text = start + terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
      let reset = Data("\u{1B}\\\u{1B}[0m\u{1B}[?25h\r\n".utf8)
      #expect(text.suffix(reset.count) == reset, "\(text.suffix(20))")
    }

    /// `env` restores the default action of all signals, because the tests may run in a process that ignores some, as
    /// with nohup.
    @Test(arguments: (1...64).filter { !withoutEnd.contains($0) })
    func signalsLeaveNoFile(_ signal: Int32) throws {
      let terminal = PseudoTerminal()
      let line = "exec env --default-signal ./webp decode a.webp -o new/"
      let process = try waitingProcess(line, in: "new/", at: terminal.program)
      terminal.closeProgramEnd()
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
      #expect(try command.files == ["a.webp"])
    }

    /// Several threads create and rename files when the signal arrives. A worker must not create another file after the
    /// files have been removed.
    @Test func interruptedBatchesLeaveNoFile() throws {
      try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
      let result = try command.shell(
        """
        mkdir in; for n in 1 2 3 4 5 6 7 8 9; do for m in 1 2 3 4 5 6 7 8 9; do ln a.webp in/$n$m.webp; done; done
        for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do for signal in INT TERM HUP; do
          env --default-signal ./webp decode -q --force --threads 9 in/*.webp -o out &
          sleep 0.0$((run * 2)); kill -$signal $!; wait $!
        done; done
        find . -name '.webp-*' | wc -l
        """)
      #expect(result.text == "0\n")
    }

    /// Nothing writes to the FIFO, so the second of three inputs waits.
    @Test func interruptionsEndTheProgressLine() throws {
      for name in ["a.webp", "c.webp"] { try command.bring("encoder-cwebp-q75.webp", as: name) }
      try command.shell("mkfifo b.webp").expectSuccess()
      let terminal = PseudoTerminal()
      let words = ["decode", "--threads", "1", "a.webp", "b.webp", "c.webp"]
      let process = try command.start(words, at: terminal, stream: \.standardError)
      _ = try terminal.read(until: "1 of 3")
      kill(process.processIdentifier, SIGTERM)
      let text = terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && text.suffix(4) == Data("\r\u{1B}[K".utf8))
    }

    @Test(arguments: ["HUP": SIGHUP, "INT": SIGINT, "TERM": SIGTERM])
    func ignoredSignalsDoNotEndTheProcess(_ name: String, _ signal: Int32) throws {
      let terminal = PseudoTerminal()
      let process = try waitingProcess("trap '' \(name); exec ./webp decode a.webp", at: terminal.program)
      kill(process.processIdentifier, signal)
      #expect(tcflow(terminal.program, TCOON) == 0)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(try command.files == ["a.webp", "a.png"])
    }

    @Test func aFileThatAppearsDuringDecodingIsKept() throws {
      let terminal = PseudoTerminal()
      let process = try waitingProcess("exec ./webp decode a.webp", at: terminal.program)
      try command.write("precious", to: "a.png")
      #expect(tcflow(terminal.program, TCOON) == 0)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 1)
      #expect(try command.read("a.png") == Data("precious".utf8))
      #expect(try command.files == ["a.webp", "a.png"])
    }

    /// Both processes start before either of them has written its output.
    @Test func oneOfTwoProcessesWritesTheFile() throws {
      let terminals = [PseudoTerminal(), PseudoTerminal()]
      let processes = try terminals.map { try waitingProcess("exec ./webp decode a.webp", at: $0.program) }
      for terminal in terminals { #expect(tcflow(terminal.program, TCOON) == 0) }
      for process in processes { process.waitUntilExit() }
      #expect(processes.map(\.terminationStatus).sorted() == [0, 1])
      #expect(try command.read("a.png") == command.webp("decode", "a.webp", "-o", "-").output)
      #expect(try command.files == ["a.webp", "a.png"])
    }

    @Test func theFolderOfAnOutputIsResolvedOnce() throws {
      let terminal = PseudoTerminal()
      try command.shell("mkdir first second; ln -s first out").expectSuccess()
      let process = try waitingProcess("exec ./webp decode a.webp -o out", in: "first/", at: terminal.program)
      try command.shell("ln -sfn second out").expectSuccess()
      #expect(tcflow(terminal.program, TCOON) == 0)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(try command.shell("ls -A first second").text == "first:\na.png\n\nsecond:\n")
    }

    /// Starts the command at a stopped terminal, so that it waits to report its first frame. Its file exists and is
    /// empty.
    private func waitingProcess(_ line: String, in folder: String = "", at writer: Int32) throws -> Process {
      try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
      #expect(tcflow(writer, TCOOFF) == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      // Disables core dumps.
      process.arguments = ["-c", "ulimit -c 0; \(line)"]
      process.currentDirectoryURL = command.folder
      process.standardError = FileHandle(fileDescriptor: writer)
      try process.runWithoutBlockedSignals()
      let part = command.folder.appendingPathComponent("\(folder).webp-\(process.processIdentifier)-0.part")
      while process.isRunning && !FileManager.default.fileExists(atPath: part.path) { usleep(1000) }
      return process
    }

    /// A line that wraps could not be erased, so progress must stay in one row.
    @Test func progressTakesOneRow() throws {
      let names = ["a", "b\u{1B}[2J\n"].map { $0 + String(repeating: "b", count: 200) + ".webp" }
      for name in names { try command.bring("encoder-cwebp-q75.webp", as: name) }
      let text = try errors(ofDecoding: names, terminal: "xterm")
      #expect(text.contains("1 of 2, 0:0"))
      let total = "2 written, 0 failed\r\n"
      #expect(text.hasSuffix(total))

      // Simulates a terminal of 80 columns with the control sequences that the command uses.
      var rest = text.dropLast(total.count)
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

    /// A terminal that cannot erase a line gets neither progress nor control sequences.
    @Test func aDumbTerminalGetsLines() throws {
      let names = ["a.webp", "b.webp"]
      for name in names { try command.bring("animation-random-7.webp", as: name) }
      #expect(try errors(ofDecoding: names, terminal: "dumb") == "2 written, 0 failed\r\n")
      #expect(try errors(ofDecoding: ["a.webp", "-o", "c.png"], terminal: "dumb").hasPrefix("a.webp → c.png: "))
    }

    /// Returns what `webp decode` writes to a terminal of this kind as its standard error.
    private func errors(ofDecoding words: [String], terminal kind: String) throws -> String {
      let terminal = PseudoTerminal()
      let process = Process()
      process.executableURL = command.folder.appendingPathComponent("webp")
      process.arguments = ["decode"] + words
      process.environment = ProcessInfo.processInfo.environment.merging(["TERM": kind]) { $1 }
      process.currentDirectoryURL = command.folder
      process.standardError = FileHandle(fileDescriptor: terminal.program)
      try process.run()
      terminal.closeProgramEnd()
      let text = String(decoding: terminal.readToEnd(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      return text
    }

    /// SIGKILL, which cannot be handled; signals that do not end a process (signal(7)); and two signals that the C
    /// library reserves.
    private static let withoutEnd = [
      SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, 32, 33,
    ]
  }
#endif
