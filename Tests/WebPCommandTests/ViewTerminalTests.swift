#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Proves that `webp view` follows the size of the terminal and restores its state.
  /// Expected values: the bytes that a pseudoterminal receives, for sizes that the tests set.
  @Suite struct ViewTerminalTests {
    let command = try! Command(with: "animation-corners-lossy.webp")

    /// The terminal reports cells of 3 × 6 pixels, so 40 × 19 cells have 120 × 114 pixels.
    @Test(arguments: ["kitty", "iterm2"])
    func imagesAreScaledToThePixelsOfTheTerminal(_ kind: String) throws {
      try command.bring("alpha-large.webp", as: "a.webp")
      let terminal = PseudoTerminal()
      terminal.resize(columns: 40, rows: 20, width: 120, height: 120)
      let process = try command.start(["view", "--protocol", kind, "a.webp"], at: terminal)
      let text = String(decoding: terminal.readToEnd(), as: UTF8.self)
      process.waitUntilExit()
      let pattern = kind == "kitty" ? /\u{1B}_G[^;]*;([^\u{1B}]*)\u{1B}\\/ : /\u{1B}\]1337;[^:]*:([^\u{7}]*)\u{7}/
      let payload = text.matches(of: pattern).map { String($0.output.1) }.joined()
      let png = try PNGReader(Array(#require(Data(base64Encoded: payload))))
      // The image has 180 × 100 pixels.
      #expect(png.width == 120 && png.height == 67)
      #expect(!text.contains(",c="), "the terminal does not scale")
    }

    /// The test reads frames one by one, so that most of the animation has not been shown when the size changes.
    @Test func animationsFollowTheSizeOfTheTerminal() throws {
      let terminal = PseudoTerminal()
      terminal.resize(columns: 20, rows: 50)
      let process = try command.start(["view", "--protocol", "cells", "--loops", "10", "a.webp"], at: terminal)
      var text = terminal.read()
      terminal.resize(columns: 12, rows: 50)
      text += terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let parts = String(decoding: text, as: UTF8.self).split(separator: "\u{1B}[H\u{1B}[2J")
      try #require(parts.count == 2, "the terminal must be cleared exactly once")
      // A line of the first size, and a line of the second one.
      for (part, columns) in zip(parts, [20, 12]) {
        let line = try #require(part.split(separator: "\r\n").first { $0.contains("\u{1B}[0m") })
        #expect(line.matches(of: /m[▀▄ ]/).count == columns)
      }
      #expect(text.count(of: "A\r") == 10 * 5 - 1, "every frame is shown")
    }

    @Test func animationsHideTheCursorUntilTheirEnd() throws {
      let terminal = PseudoTerminal()
      let process = try command.start(["view", "--protocol", "cells", "--loops", "1", "a.webp"], at: terminal)
      let text = terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(text.starts(with: Data("\u{1B}[?25l".utf8)) && text.suffix(6) == Data("\u{1B}[?25h".utf8))
    }

    /// The keyboard is the terminal at standard input. Other keys do nothing, and no key is echoed.
    @Test(arguments: ["q", "\u{1B}"])
    func keysEndAnAnimation(_ key: String) throws {
      let terminal = PseudoTerminal()
      terminal.resize(columns: 20, rows: 50)
      let process = try command.start(
        ["view", "--protocol", "cells", "--loops", "0", "a.webp", "a.webp"], at: terminal, hasKeyboard: true)
      var text = try terminal.read(until: "\u{1B}[?25l")
      for keys in ["xyz", "\u{1B}[A"] {
        terminal.type(keys)
        // The program reads keys, compares the size, and so on. When it follows the second size, it has read the keys.
        for columns in [12, 20] as [UInt16] {
          terminal.resize(columns: columns, rows: 50)
          text += try terminal.read(until: "\u{1B}[H\u{1B}[2J")
        }
      }
      terminal.type(key)
      text += terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(text.suffix(6) == Data("\u{1B}[?25h".utf8) && text.count(of: "xyz") == 0)
      #expect(text.count(of: "a.webp") == 1, "the second file is not shown")
    }

    /// While the process is stopped, the cursor is visible. Afterwards the frame is drawn again on a cleared screen.
    @Test func aStoppedAnimationShowsTheCursor() throws {
      let terminal = PseudoTerminal()
      let process = try command.start(
        ["view", "--protocol", "cells", "--loops", "0", "a.webp"], at: terminal, hasKeyboard: true)
      var text = try terminal.read(until: "\u{1B}[?25l")
      kill(process.processIdentifier, SIGTSTP)
      text += try terminal.read(until: "\u{1B}[?25h")
      // In a process group without a shell, the system does not stop processes.
      for _ in 0..<100 where try !isStopped(process) { usleep(10_000) }
      kill(process.processIdentifier, SIGCONT)
      text += try terminal.read(until: "\u{1B}[H\u{1B}[2J")
      let parts = String(decoding: text, as: UTF8.self).components(separatedBy: "\u{1B}[?25h")
      #expect(parts.count == 2 && parts[1].contains("\u{1B}[?25l"), "shown while it is stopped, then hidden again")
      terminal.type("q")
      text = terminal.readToEnd()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && text.suffix(6) == Data("\u{1B}[?25h".utf8))
    }
  }

  private func isStopped(_ process: Process) throws -> Bool {
    try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8).contains(") T ")
  }

  extension Data {
    fileprivate func count(of text: String) -> Int {
      String(decoding: self, as: UTF8.self).components(separatedBy: text).count - 1
    }
  }
#endif
