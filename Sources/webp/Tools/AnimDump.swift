import CommandSystem
import PureWebP
import WebPExport

/// Imitates the program anim_dump of libwebp, with its messages and exit codes.
enum AnimDump {
  static let options = "-folder -prefix -tiff -pam -version -h"

  private struct Settings {
    var folder = "."
    var prefix = "dump_"
    var format = WebP.FileFormat.png
  }

  static func run(_ words: [String]) throws {
    guard !words.isEmpty else { throw ToolExit(output: help, code: 1) }
    // An option applies to the files that follow it.
    var settings = Settings()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "-folder", "-prefix":
        guard let operand = rest.popFirst() else { throw ToolExit.failure("missing argument after option '\(word)'") }
        if word == "-folder" { settings.folder = operand } else { settings.prefix = operand }
      case "-tiff": settings.format = .tiff
      case "-pam": settings.format = .pam
      case "-h", "-help": throw ToolExit(output: help)
      case "-version": throw ToolExit(output: "WebP Decoder version: 1.6.0\nWebP Demux version: 1.6.0\n")
      default:
        let names = "\(settings.folder)/\(settings.prefix)xxxx.\(settings.format.fileExtension)"
        try printOutput(lines: ["Decoding file: \(word) as \(names)"])
        try write(open(word), settings)
      }
    }
  }

  /// Opens an animation. All frames are decoded first, so that no frame is written if one is corrupt. They are decoded
  /// again when they are written, because all frames together may not fit into memory.
  private static func open(_ input: String) throws(ToolExit) -> WebP.Animation {
    func failure(_ errors: String...) -> ToolExit {
      ToolExit(errors: errors + ["Error decoding file: \(input)", " Aborting."], code: 1)
    }
    guard let bytes = readToolInput(input) else { throw failure("Error reading file: \(input)") }
    guard (try? WebP.info(bytes)) != nil else {
      throw failure("Unknown file type: \(input). Supported file types are WebP and GIF")
    }
    let animation: WebP.Animation
    do throws(WebP.DecodeError) {
      animation = try WebP.Animation(bytes)
      try WebP.Limits().check(allCanvasesOf: animation)
    } catch {
      let text = "Error parsing image: \(input)"
      guard error.kind == .limitExceeded else { throw failure(text) }
      // Users of libwebp's tools do not know limits, so the error is explained.
      throw failure(text, "\(error); webp frames has options for limits")
    }
    var frames = animation.makeIterator()
    for index in 0..<animation.frameCount where frames.next() == nil {
      throw failure("Error decoding frame #\(index)")
    }
    return animation
  }

  /// Writes all frames.
  private static func write(_ animation: WebP.Animation, _ settings: Settings) throws {
    for frame in animation {
      let number = String(frame.index).padded(to: 4, with: "0")
      let name = "\(settings.folder)/\(settings.prefix)\(number).\(settings.format.fileExtension)"
      let error = "Error while saving image '\(name)'"
      try writeToolOutput(
        name, errorsOpening: ["Error opening output file \(name)", error], errorsWriting: [error]
      ) { write in
        let image = frame.image.clearingTransparentPixels()
        try image.write(as: settings.format, png: .init(reducesColors: false), to: write)
      }
    }
  }

  private static let help = """
    Usage: anim_dump [options] files...

    Options, for the files after them:
      -folder <string> .... folder to write to (default: '.')
      -prefix <string> .... beginning of the names (default: 'dump_')
      -tiff ............... write TIFF files instead of PNG files
      -pam ................ write PAM files instead of PNG files
      -version ............ print the versions and exit
      -h .................. this help


    """
}

extension WebP.Image {
  /// Returns the image with the colors of transparent pixels set to 0, as anim_dump writes them. The format must be
  /// RGBA.
  fileprivate func clearingTransparentPixels() -> Self {
    var cleared = pixels
    for start in Swift.stride(from: 0, to: cleared.count, by: 4) where cleared[start + 3] == 0 {
      for channel in 0..<3 { cleared[start + channel] = 0 }
    }
    return WebP.Image(width: width, height: height, format: format, pixels: cleared, layout: layout)
  }
}
