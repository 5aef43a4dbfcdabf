import CommandSystem
import PureWebP
import SystemPackage

/// Plays an animation in the terminal. If the terminal's size changes, the animation continues in the new size.
struct AnimationPlayer {
  private let open: (TerminalCanvas) throws -> WebP.Animation
  private let currentCanvas: () -> TerminalCanvas
  private var canvas: TerminalCanvas
  private var animation: WebP.Animation
  private var frames: WebP.Animation.FrameIterator
  private let output = FileDescriptor.standardOutput
  /// The number of the image in the terminal's memory, in which each frame replaces the previous one. It must differ from
  /// the numbers of other processes.
  private let imageNumber = Int(Int64(secondsNow * 1000) & 0x7FFF_FFFF | 1)

  /// - Parameters:
  ///   - canvas: returns the current area to draw in.
  ///   - open: opens the animation, scaled for an area.
  init(canvas: @escaping () -> TerminalCanvas, open: @escaping (TerminalCanvas) throws -> WebP.Animation) throws {
    self.open = open
    currentCanvas = canvas
    self.canvas = canvas()
    animation = try open(self.canvas)
    frames = animation.makeIterator()
  }

  /// - Parameter loops: the number of times to play; 0 for endlessly.
  mutating func play(loops: Int) throws {
    _ = try output.writeAll(ContiguousArray("\u{1B}[?25l".utf8))
    defer { _ = try? output.writeAll(ContiguousArray("\u{1B}[?25h".utf8)) }
    var finishedLoops = 0
    var isDrawn = false
    var due = secondsNow
    repeat {
      // Not the error after the last frame of a file that is only partly available.
      var next = 0
      while next < animation.frameCount, let frame = try frames.nextFrame() {
        next = frame.index + 1
        _ = try output.writeAll((isDrawn ? canvas.moveToTop(of: frame.image) : []) + drawing(of: frame))
        isDrawn = true
        due += Double(frame.shownDuration) / 1000
        // A slow terminal does not get frames faster later.
        if secondsNow - due > 0.1 { due = secondsNow }
        try wait(until: due, showing: frame.index)
      }
      finishedLoops += 1
      frames = animation.makeIterator()
    } while isDrawn && (loops == 0 || finishedLoops < loops)
  }

  private func drawing(of frame: WebP.Animation.Frame) throws -> ContiguousArray<UInt8> {
    try canvas.drawing(of: frame.image, number: imageNumber)
  }

  /// Waits, and draws the frame again if the terminal's size changes.
  private mutating func wait(until due: Double, showing index: Int) throws {
    repeat {
      sleep(until: min(due, secondsNow + 0.1))
      let current = currentCanvas()
      guard current != canvas else { continue }
      canvas = current
      animation = try open(canvas)
      frames = try animation.makeIterator(at: index)
      guard let frame = try frames.nextFrame() else { return }
      // The terminal may have rearranged its lines, so the position of the previous drawing is unknown.
      _ = try output.writeAll(ContiguousArray("\u{1B}[H\u{1B}[2J".utf8) + drawing(of: frame))
    } while secondsNow < due
  }
}
