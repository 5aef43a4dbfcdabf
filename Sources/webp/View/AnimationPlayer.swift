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
  private var schedule: WebP.Animation.FrameSchedule
  /// Indicates whether the user ended the animation with q or Escape.
  private(set) var isEnded = false
  private var resumptions = InteractiveTerminal.resumptions
  private let output = FileDescriptor.standardOutput
  /// The identifier by which the terminal replaces each frame by the next one. It must differ from the identifiers that
  /// other processes use.
  private let imageNumber = Int(Int64(secondsNow * 1000) & 0x7FFF_FFFF | 1)

  /// Creates a player.
  ///
  /// - Parameters:
  ///   - canvas: returns the current area in which to draw.
  ///   - open: opens the animation, scaled for an area.
  init(canvas: @escaping () -> TerminalCanvas, open: @escaping (TerminalCanvas) throws -> WebP.Animation) throws {
    self.open = open
    currentCanvas = canvas
    self.canvas = canvas()
    animation = try open(self.canvas)
    frames = animation.makeIterator()
    schedule = .init(animation)
  }

  /// Plays the animation. Each frame is decoded just before it is shown. A corrupt frame, or the end of an incomplete
  /// file, ends the playback.
  ///
  /// - Parameter loops: the number of times to play the animation, or 0 to play it endlessly.
  /// - Returns: the error that ended the playback, if there was one.
  /// - Throws: The error, if no frame was shown.
  mutating func play(loops: Int) throws -> PartialFault? {
    try InteractiveTerminal.beginPlaying()
    defer { InteractiveTerminal.endPlaying() }
    schedule = .init(animation, loops: loops)
    var isRepeated = false
    repeat {
      if let fault = try playOnce(isRepeated: isRepeated) { return fault }
      isRepeated = true
      frames = animation.makeIterator()
    } while !isEnded && schedule.nextIndex != nil
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
      let start = isRepeated || shownFrames > 0 ? canvas.moveToTop(of: frame.image) : []
      _ = try output.writeAll(start + canvas.drawing(of: frame.image, number: imageNumber))
      shownFrames += 1
      schedule.advance(atMilliseconds: Int(secondsNow * 1000))
      try wait(showing: frame.index)
      if isEnded { return nil }
    }
  }

  /// Waits until the next frame is due, or until a key ends the animation. Draws the frame again if the terminal's size
  /// changes, or if the process was stopped.
  private mutating func wait(showing index: Int) throws {
    let due = Double(schedule.dueMilliseconds ?? 0) / 1000
    repeat {
      // Escape at the end. Other keys send sequences that begin with it.
      let key = InteractiveTerminal.key(until: min(due, secondsNow + 0.1))
      if key?.last == 0x1B || key?.contains(UInt8(ascii: "q")) == true {
        isEnded = true
        return
      }
      let (current, currentResumptions) = (currentCanvas(), InteractiveTerminal.resumptions)
      guard current != canvas || currentResumptions != resumptions else { continue }
      (canvas, resumptions) = (current, currentResumptions)
      animation = try open(canvas)
      frames = try animation.makeIterator(at: index)
      guard let frame = try frames.nextFrame() else { return }
      // The terminal may have rearranged its lines, so the position of the previous drawing is unknown.
      let start = ContiguousArray("\u{1B}[H\u{1B}[2J".utf8)
      _ = try output.writeAll(start + canvas.drawing(of: frame.image, number: imageNumber))
    } while secondsNow < due
  }
}
