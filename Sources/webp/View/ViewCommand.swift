import ArgumentParser
import CommandSystem
import PureWebP
import SystemPackage

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "view",
    abstract: "Shows images and animations in the terminal.",
    discussion: """
      Images are scaled down to the size of the terminal. Terminals that support kitty's or iTerm2's protocol or \
      sixels show pixels. Other terminals show half blocks, in 24-bit color if COLORTERM is truecolor, else in 256 \
      colors.

      The frames of an animation are shown when they are decoded. A corrupt frame ends the animation with an error. \
      The keys q and Esc end the command.

      EXAMPLES
        webp view --columns 40 *.webp
        webp view --loops 1 animation.webp
        webp view --protocol sixel image.webp
      """)

  @Argument(help: ArgumentHelp("The files to show; - is standard input.", valueName: "in"), completion: .webPFile)
  var inputs: [String]

  @Option(help: "The method of showing pixels. The default is what the environment indicates.")
  var `protocol`: TerminalProtocol?

  @Option(help: "The maximum width, in columns of the terminal.")
  var columns: Int?

  @Option(
    help: """
      The number of times to play an animation; 0 for endlessly. The default is the number in the file, or once if \
      that is endless and standard output is not a terminal.
      """)
  var loops: Int?

  @Flag(help: "Show the finished rows, or the complete frames, of a truncated or corrupt file.")
  var partial = false

  func validate() throws {
    if let columns, columns < 1 { throw ValidationError("--columns must be at least 1") }
    if let loops, loops < 0 { throw ValidationError("--loops must be at least 0") }
  }

  func run() throws {
    guard let kind = self.protocol ?? .detected else {
      let terminal = environment("TERM").map { "TERM=\($0)" } ?? "TERM is not set"
      let names = TerminalProtocol.allCases.map(\.rawValue).joined(separator: ", ")
      let problem = "the terminal has fewer than 256 colors (\(terminal)); choose a --protocol: \(names)"
      throw reported(Failure(writing: "-", problem))
    }
    InteractiveTerminal.beginDrawing()
    var isEnded = false
    try forEach(inputs) { (input) throws(Failure) in
      if isEnded { return }
      let bytes = try readWebP(input)
      let fault: PartialFault?
      do {
        if inputs.count > 1 { try printOutput(lines: [input == "-" ? "standard input" : input]) }
        fault = try show(bytes, of: input, by: kind, &isEnded)
      } catch let error as WebP.DecodeError {
        let hasAdvice = !partial && error.mayLeavePart
        throw Failure(input, error, hint: hasAdvice ? "; --partial shows the complete part" : "")
      } catch {
        throw error as? Failure ?? Failure(writing: "-", error)
      }
      if let fault { throw Failure(input, fault.error, hint: "; showed \(fault.completePart)") }
    }
  }

  /// Shows an image or animation.
  ///
  /// - Parameter isEnded: set if the user ended the animation.
  /// - Returns: the first error of the file, if only the part before it was shown.
  private func show(
    _ bytes: [UInt8], of input: String, by kind: TerminalProtocol, _ isEnded: inout Bool
  ) throws -> PartialFault? {
    let info = try webp.info(of: bytes, input)
    // One row is for the cursor, and one for the file's name if there are several files.
    let reservedRows = inputs.count > 1 ? 2 : 1
    func canvas() -> TerminalCanvas {
      TerminalCanvas(kind, in: .current, columns: columns, reservedRows: reservedRows)
    }
    func options(for canvas: TerminalCanvas) throws(Failure) -> WebP.DecodeOptions {
      let size = WebP.Size(width: info.width, height: info.height).oriented(info.orientation)
      var options = WebP.DecodeOptions(size: canvas.size(for: size), isUpright: true)
      // The image, its PNG, and Base64 or sixels.
      options.threads = try threadsInMemory(for: input, bytes, info, [options], copies: 6, composes: info.isAnimated)
      return options
    }
    guard info.isAnimated else {
      let canvas = canvas()
      let options = try options(for: canvas)
      let (image, fault) =
        try partial ? WebP.decodePartially(bytes, options: options) : (WebP.decode(bytes, options: options), nil)
      _ = try FileDescriptor.standardOutput.writeAll(canvas.drawing(of: image))
      return fault
    }
    var player = try AnimationPlayer(canvas: canvas) { canvas in
      try WebP.Animation.open(bytes, options: options(for: canvas), isPartial: partial)
    }
    let isEndless = info.loopCount == 0 && FileDescriptor.standardOutput.isTerminal
    defer { isEnded = player.isEnded }
    return try player.play(loops: loops ?? (isEndless ? 0 : max(info.loopCount, 1)))
  }
}
