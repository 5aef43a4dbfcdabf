// What libwebp's anim_dump does, with its words and its exit codes.

import CommandSystem
import PureWebP
import WebPExport

enum AnimDump {
  private struct Settings {
    var folder = "."
    var prefix = "dump_"
    var format = WebP.FileFormat.png
  }

  /// - Returns: the exit code.
  static func run(_ words: [String]) throws -> Int32 {
    guard !words.isEmpty else {
      try printOutput(help)
      return 1
    }
    // Options apply to the files after them.
    var settings = Settings()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "-folder", "-prefix":
        guard let operand = rest.popFirst() else {
          printError("Missing argument after option '\(word)'")
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
        guard try dump(word, settings) else {
          printError("Error decoding file: \(word)")
          printError(" Aborting.")
          return 1
        }
      }
    }
    return 0
  }

  private static func dump(_ input: String, _ settings: Settings) throws -> Bool {
    let suffix = settings.format.fileExtension
    try printOutput(lines: ["Decoding file: \(input) as \(settings.folder)/\(settings.prefix)xxxx.\(suffix)"])
    guard let bytes = readToolInput(input) else {
      printError("Error reading file: \(input)")
      return false
    }
    guard let animation = try? WebP.Animation(bytes), (try? WebP.Limits().check(allCanvasesOf: animation)) != nil else {
      printError("Error parsing image: \(input)")
      return false
    }
    // Nothing is written unless all can be decoded; decoding twice takes time, keeping all frames would take memory.
    var check = animation.makeIterator()
    for index in 0..<animation.frameCount where check.next() == nil {
      printError("Error decoding frame #\(index)")
      return false
    }

    var png = WebP.PNGOptions()
    png.reducesColors = false
    for frame in animation {
      let number = String(frame.index).padded(to: 4, with: "0")
      let name = "\(settings.folder)/\(settings.prefix)\(number).\(suffix)"
      do {
        try writeOutput(name) { write in
          try frame.image.clearingTransparentPixels().write(as: settings.format, png: png, to: write)
        }
      } catch {
        printError("Error while saving image '\(name)'")
        return false
      }
    }
    return true
  }

  private static let help = """
    Usage: anim_dump [options] files...

    Options, for the files after them:
      -folder <string> .... where to write (default: '.')
      -prefix <string> .... how names begin (default: 'dump_')
      -tiff ............... write TIFF in place of PNG
      -pam ................ write PAM in place of PNG
      -version ............ print the versions and exit
      -h .................. this help


    """
}

extension WebP.Image {
  /// Colours that are not seen are made black. RGBA only.
  fileprivate func clearingTransparentPixels() -> Self {
    var cleared = pixels
    for start in Swift.stride(from: 0, to: cleared.count, by: 4) where cleared[start + 3] == 0 {
      for channel in 0..<3 { cleared[start + channel] = 0 }
    }
    return WebP.Image(width: width, height: height, format: format, pixels: cleared, layout: layout)
  }
}
