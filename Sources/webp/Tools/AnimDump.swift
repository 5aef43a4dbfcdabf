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

  /// Runs the program.
  ///
  /// - Returns: the exit code.
  static func run(_ words: [String]) throws -> Int32 {
    guard !words.isEmpty else {
      try printOutput(help)
      return 1
    }
    // An option applies to the files that follow it.
    var settings = Settings()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "-folder", "-prefix":
        guard let operand = rest.popFirst() else {
          printError("missing argument after option '\(word)'")
          return 1
        }
        if word == "-folder" { settings.folder = operand } else { settings.prefix = operand }
      case "-tiff": settings.format = .tiff
      case "-pam": settings.format = .pam
      case "-h", "-help":
        try printOutput(help)
        return 0
      case "-version":
        try printOutput("WebP Decoder version: 1.6.0\nWebP Demux version: 1.6.0\n")
        return 0
      default:
        let names = "\(settings.folder)/\(settings.prefix)xxxx.\(settings.format.fileExtension)"
        try printOutput(lines: ["Decoding file: \(word) as \(names)"])
        guard let animation = open(word) else {
          printError("Error decoding file: \(word)")
          printError(" Aborting.")
          return 1
        }
        guard write(animation, settings) else { return 1 }
      }
    }
    return 0
  }

  /// Opens an animation. All frames are decoded first, so that no frame is written if one is corrupt. They are decoded
  /// again when they are written, because all frames together may not fit into memory.
  ///
  /// - Returns: the animation, or nil after an error, which is printed.
  private static func open(_ input: String) -> WebP.Animation? {
    guard let bytes = readToolInput(input) else {
      printError("Error reading file: \(input)")
      return nil
    }
    guard (try? WebP.info(bytes)) != nil else {
      printError("Unknown file type: \(input). Supported file types are WebP and GIF")
      return nil
    }
    let animation: WebP.Animation
    do throws(WebP.DecodeError) {
      animation = try WebP.Animation(bytes)
      try WebP.Limits().check(allCanvasesOf: animation)
    } catch {
      printError("Error parsing image: \(input)")
      // Users of libwebp's tools do not know limits, so the error is explained.
      if error.kind == .limitExceeded { printError("\(error); webp frames has options for limits") }
      return nil
    }
    var frames = animation.makeIterator()
    for index in 0..<animation.frameCount where frames.next() == nil {
      printError("Error decoding frame #\(index)")
      return nil
    }
    return animation
  }

  /// Writes all frames.
  ///
  /// - Returns: false after an error, which is printed.
  private static func write(_ animation: WebP.Animation, _ settings: Settings) -> Bool {
    var png = WebP.PNGOptions()
    png.reducesColors = false
    for frame in animation {
      let number = String(frame.index).padded(to: 4, with: "0")
      let name = "\(settings.folder)/\(settings.prefix)\(number).\(settings.format.fileExtension)"
      var isOpen = false
      do {
        try writeOutput(name) { write in
          isOpen = true
          try frame.image.clearingTransparentPixels().write(as: settings.format, png: png, to: write)
        }
      } catch {
        if !isOpen { printError("Error opening output file \(name)") }
        printError("Error while saving image '\(name)'")
        return false
      }
    }
    return true
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
