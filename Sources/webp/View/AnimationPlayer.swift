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
  /// The time to show the next frame.
  private var due = secondsNow
  private let output = FileDescriptor.standardOutput
  /// The terminal's identifier of the image, by which each frame replaces the previous one. It must differ from the
  /// identifiers of other processes.
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

  /// Shows each frame when it is decoded. A corrupt frame, or the end of an incomplete file, ends the playback.
  ///
  /// - Parameter loops: the number of times to play; 0 for endlessly.
  /// - Returns: the fault that ended the playback.
  /// - Throws: the fault, if no frame was shown.
  mutating func play(loops: Int) throws -> PartialFault? {
    _ = try output.writeAll(ContiguousArray("\u{1B}[?25l".utf8))
    defer { _ = try? output.writeAll(ContiguousArray("\u{1B}[?25h".utf8)) }
    due = secondsNow
    var finishedLoops = 0
    repeat {
      if let fault = try playOnce(isRepeated: finishedLoops > 0) { return fault }
      finishedLoops += 1
      frames = animation.makeIterator()
    } while animation.frameCount > 0 && (loops == 0 || finishedLoops < loops)
    return nil
  }

  private mutating func playOnce(isRepeated: Bool) throws -> PartialFault? {
    var shownFrames = 0
    while true {
      let frame: WebP.Animation.Frame
      do throws(WebP.DecodeError) {
        guard let next = try frames.nextFrame() else { return nil }
        frame = next
      } catch {
        guard shownFrames > 0 else { throw error }
        return PartialFault(error, completeFrames: shownFrames, of: animation)
      }
      let isDrawn = isRepeated || shownFrames > 0
      _ = try output.writeAll((isDrawn ? canvas.moveToTop(of: frame.image) : []) + drawing(of: frame))
      shownFrames += 1
      due += Double(frame.displayDuration) / 1000
      // If the terminal is slow, later frames are not shown faster to catch up.
      if secondsNow - due > 0.1 { due = secondsNow }
      try wait(showing: frame.index)
    }
  }

  private func drawing(of frame: WebP.Animation.Frame) throws -> ContiguousArray<UInt8> {
    try canvas.drawing(of: frame.image, number: imageNumber)
  }

  /// Waits until the next frame is due, and draws the frame again if the terminal's size changes.
  private mutating func wait(showing index: Int) throws {
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
