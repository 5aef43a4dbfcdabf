import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Shows pictures and animations in the terminal.",
    discussion: """
      Terminals that know kitty's or iTerm2's protocol show pixels; others get a block of two colours for each two pixels.

      EXAMPLES
        webp view picture.webp
        webp view --columns 40 *.webp
        webp view --loops 1 animation.webp
      """)

  @Argument(help: ArgumentHelp("The files to show; - is standard input.", valueName: "in"), completion: .file())
  var inputs: [String]

  @Option(help: "How: kitty, iterm2 or cells, instead of what the terminal seems to know.")
  var `protocol`: TerminalProtocol?

  @Option(help: "How wide at the most, in the terminal's columns.")
  var columns: Int?

  @Option(
    help: """
      How often an animation is shown; 0: for ever. Otherwise as its file says, and once if that is for ever and nobody \
      is at a terminal.
      """)
  var loops: Int?

  func validate() throws {
    if let columns, columns < 1 { throw ValidationError("--columns is 1 at least.") }
    if let loops, loops < 0 { throw ValidationError("--loops is 0 at least.") }
  }

  func run() throws {
    let terminal = TerminalSize.current
    let canvas = TerminalCanvas(
      kind: self.protocol ?? .detected, columns: columns ?? terminal.columns, rows: max(1, terminal.rows - 1))
    resetTerminalBeforeEnd()
    try forEach(inputs) { (_, input) throws(Failure) in
      let bytes = try readInput(input)
      do {
        try show(bytes, on: canvas)
      } catch let error as WebP.DecodeError {
        throw Failure(input, error)
      } catch {
        throw Failure("standard output", "\(error)")
      }
    }
  }

  private func show(_ bytes: [UInt8], on canvas: TerminalCanvas) throws {
    let info = try WebP.info(bytes)
    var options = WebP.DecodeOptions()
    // As everywhere, animations are not turned.
    let orientation = info.isAnimated ? .up : WebP.metadata(bytes).orientation ?? .up
    let (width, height) = orientation.turned(width: info.width, height: info.height)
    options.size = canvas.size(forWidth: width, height: height)?.turned(by: orientation)
    guard info.isAnimated else {
      let image = try WebP.decode(bytes, options: options).oriented(orientation)
      try FileDescriptor.standardOutput.write(canvas.drawing(of: image))
      return
    }

    let animation = try WebP.Animation(bytes, options: options)
    var rounds = loops ?? animation.loopCount
    if rounds == 0 && loops == nil && !FileDescriptor.standardOutput.isTerminal { rounds = 1 }
    var round = 0
    var isFirst = true
    var due = secondsNow
    while rounds == 0 || round < rounds {
      var frames = animation.makeIterator()
      while let frame = try frames.nextFrame() {
        // Later frames go over the first one.
        let drawing = try canvas.drawing(of: frame.image)
        try FileDescriptor.standardOutput.write((isFirst ? [] : canvas.stepBack(over: frame.image)) + drawing)
        isFirst = false
        due += Double(frame.shownDuration) / 1000
        // A terminal that is far behind is not hurried, as in Playback.
        if secondsNow - due > 0.1 { due = secondsNow }
        sleep(until: due)
      }
      guard !isFirst else { return }
      round += 1
    }
  }
}
