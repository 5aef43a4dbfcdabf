import CommandSystem

/// Imitates the program vwebp of libwebp, but shows images in the terminal instead of a window.
enum VWebP {
  /// Runs the program.
  ///
  /// - Returns: the exit code.
  static func run(_ words: [String]) throws -> Int32 {
    switch words.first {
    case "-h", "-help":
      try printOutput(help)
      return 0
    case "-version":
      try printOutput("WebP Decoder version: 1.6.0\nWebP Demux version: 1.6.0\n")
      return 0
    default: break
    }
    if let option = words.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      let command = option == "-info" ? "webp info" : "webp view --help and webp decode --help"
      printError("vwebp: \(option) is not supported. See \(command)")
      return 1
    }
    guard !words.isEmpty else {
      try printOutput(help)
      return 1
    }
    do {
      try ViewCommand.parse(words).run()
      return 0
    } catch {
      return ViewCommand.exitCode(for: error).rawValue
    }
  }

  private static let help = """
    Usage: vwebp in_files

    Shows images and animations in the terminal, as webp view does.

    Options:
      -version ..... print the version and exit
      -h ........... this help


    """
}
