import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal at standard output while a command draws in it. Its state is protected by the lock of ``ProcessEnd``,
/// because the thread that handles signals restores it.
package enum InteractiveTerminal {
  /// Indicates whether a signal that ends the process must reset the terminal, which may have another color, a hidden
  /// cursor or an unfinished control string.
  nonisolated(unsafe) private static var isDrawing = false
  /// Indicates whether an animation plays: the cursor is hidden, and keys are not echoed.
  nonisolated(unsafe) private static var isPlaying = false
  /// The descriptor from which keys are read, and the modes of its terminal before the animation.
  nonisolated(unsafe) private static var keyboard: (descriptor: Int32, modes: termios)?
  nonisolated(unsafe) private static var count = 0

  /// The number of times that the process was continued after it had been stopped. The screen must be drawn again then.
  package static var resumptions: Int { ProcessEnd.locked { unsafe count } }

  /// Prepares for drawing.
  package static func beginDrawing() {
    let isTerminal = FileDescriptor.standardOutput.isTerminal
    ProcessEnd.locked { unsafe isDrawing = isTerminal }
  }

  /// Hides the cursor, and makes the terminal deliver keys without echoing them.
  package static func beginPlaying() throws {
    ProcessEnd.locked {
      guard unsafe isDrawing else { return }
      unsafe isPlaying = true
      unsafe keyboard = findKeyboard()
      changeModes()
    }
    // Only now, because other commands need no reaction when they are stopped.
    var set = signalSet([SIGTSTP, SIGCONT])
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    _ = try FileDescriptor.standardOutput.writeAll(hiddenCursor.utf8)
  }

  package static func endPlaying() {
    write(visibleCursor)
    ProcessEnd.locked {
      restoreModes()
      unsafe isPlaying = false
    }
  }

  /// Returns the bytes of a key, or waits for one until `secondsNow` is `time`, at most a second. Returns nil if no key
  /// was pressed.
  package static func key(until time: Double) -> [UInt8]? {
    // Without a keyboard, poll ignores the descriptor and waits.
    let descriptor = ProcessEnd.locked { unsafe keyboard?.descriptor ?? -1 }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, min(1000, ((time - secondsNow) * 1000).rounded(.up))))
    guard unsafe poll(&request, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    guard let count = try? FileDescriptor(rawValue: descriptor).read(into: &bytes, from: 0), count > 0 else {
      // The keyboard is gone.
      ProcessEnd.locked { unsafe keyboard = nil }
      return nil
    }
    return Array(bytes.prefix(count))
  }

  // MARK: Called by the thread that handles signals, with the lock held

  /// Restores the terminal before the process stops.
  static func leave() {
    guard unsafe isPlaying else { return }
    write(visibleReset)
    restoreModes()
  }

  /// Takes the terminal again after the process was continued.
  static func enter() {
    guard unsafe isPlaying else { return }
    write(hiddenCursor)
    changeModes()
    unsafe count += 1
  }

  /// Resets the terminal before the process ends.
  static func reset() {
    guard unsafe isDrawing else { return }
    write(visibleReset)
    restoreModes()
  }

  // MARK: Modes

  private static let hiddenCursor = "\u{1B}[?25l"
  private static let visibleCursor = "\u{1B}[?25h"
  /// String terminator, default colors, visible cursor, new line.
  private static let visibleReset = "\u{1B}\\\u{1B}[0m\u{1B}[?25h\n"

  private static func write(_ text: String) { _ = try? FileDescriptor.standardOutput.writeAll(text.utf8) }

  /// Standard input, or the controlling terminal if standard input is not a terminal.
  private static func findKeyboard() -> (descriptor: Int32, modes: termios)? {
    let isTerminal = FileDescriptor.standardInput.isTerminal
    let descriptor = unsafe isTerminal ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
    var modes = termios()
    guard descriptor >= 0, unsafe tcgetattr(descriptor, &modes) == 0 else { return nil }
    return (descriptor, modes)
  }

  private static func changeModes() {
    guard let (descriptor, modes) = unsafe keyboard else { return }
    var changed = modes
    changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // A read returns immediately, even without a key.
    unsafe withUnsafeMutableBytes(of: &changed.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 0
      unsafe characters[Int(VTIME)] = 0
    }
    setModes(changed, of: descriptor)
  }

  private static func restoreModes() {
    if let (descriptor, modes) = unsafe keyboard { setModes(modes, of: descriptor) }
  }

  /// Sets the modes, unless the process is in the background.
  private static func setModes(_ modes: termios, of descriptor: Int32) {
    // -1 if it is not the controlling terminal of the process, which then has no background.
    let foreground = tcgetpgrp(descriptor)
    guard foreground == -1 || foreground == getpgrp() else { return }
    _ = unsafe withUnsafePointer(to: modes) { unsafe tcsetattr(descriptor, TCSADRAIN, $0) }
  }
}

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
