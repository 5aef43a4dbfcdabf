import CommandSystem
import PureWebP

/// Imitates the program webpmux of libwebp, without the options that write WebP files.
enum WebPMux {
  /// Runs the program.
  ///
  /// - Returns: the exit code.
  static func run(_ words: [String]) throws -> Int32 {
    switch words.first {
    case "-get": return extract(Array(words.dropFirst()))
    case "-info" where words.count == 2: return try showInfo(of: words[1])
    case "-h", "-help":
      try printOutput(help)
      return 0
    case "-version":
      try printOutput("1.6.0\n")
      return 0
    case let option?:
      printError("webpmux: \(option) is not supported, because webp does not write WebP files. See webp extract --help")
      return 1
    case nil:
      try printOutput(help)
      return 1
    }
  }

  /// Handles `-get icc|exif|xmp IN -o OUT` and `-get frame N IN -o OUT`. Frames are counted from 1; 0 is the last
  /// frame.
  private static func extract(_ words: [String]) -> Int32 {
    var words = words
    if words.first == "frame", words.count > 2 {
      guard let number = Int(words[1]), let index = index(ofFrame: number, in: words[2]) else {
        printError("webpmux: \(words[1]) is not the number of a frame")
        return 1
      }
      words.replaceSubrange(1...1, with: ["--number=\(index)"])
    }
    do {
      try ExtractCommand.parse(words).run()
      return 0
    } catch {
      let message = ExtractCommand.message(for: error)
      if !message.isEmpty { printError("webpmux: \(message)") }
      return 1
    }
  }

  private static func index(ofFrame number: Int, in path: String) -> Int? {
    guard number <= 0 else { return number - 1 }
    guard number == 0, let bytes = try? readWebP(path), let animation = try? WebP.Animation(bytes) else { return nil }
    return animation.frameCount - 1
  }

  private static func showInfo(of path: String) throws -> Int32 {
    do throws(Failure) {
      let bytes = try readWebP(path)
      let lines: [String]
      do throws(WebP.DecodeError) { lines = try info(bytes) } catch { throw Failure(path, error) }
      try? printOutput(lines: lines)
      return 0
    } catch {
      printError("\(error)")
      return 1
    }
  }

  /// Returns the lines that webpmux prints for `-info`.
  private static func info(_ bytes: [UInt8]) throws(WebP.DecodeError) -> [String] {
    let info = try WebP.info(bytes)
    let animation = try WebP.Animation(bytes)
    var lines = ["Canvas size: \(info.width) x \(info.height)"]
    let features = [
      (info.isAnimated, "animation"), (info.hasICC, "ICC profile"), (info.hasExif, "EXIF metadata"),
      (info.hasXMP, "XMP metadata"), (info.hasAlpha, "transparency"),
    ].filter(\.0).map(\.1)
    guard !features.isEmpty else { return lines + ["No features present."] }
    lines.append("Features present: " + features.joined(separator: " "))
    guard info.isAnimated else { return lines }
    let color = String(animation.backgroundColor, radix: 16, uppercase: true).padded(to: 8, with: "0")
    lines.append("Background color : 0x\(color)  Loop Count : \(animation.loopCount)")
    lines.append("Number of frames: \(animation.frameCount)")
    lines.append(
      "No.: width height alpha x_offset y_offset duration   dispose blend image_size  compression")
    for (index, frame) in animation.frames.enumerated() {
      let columns = [
        "\(index + 1):".padded(to: 4), "\(frame.width)".padded(to: 5), "\(frame.height)".padded(to: 5),
        (frame.hasAlpha ? "yes" : "no").padded(to: 5), "\(frame.x)".padded(to: 8), "\(frame.y)".padded(to: 8),
        "\(frame.duration)".padded(to: 8), (frame.disposal == .clear ? "background" : "none").padded(to: 10),
        (frame.blending == .blend ? "yes" : "no").padded(to: 5),
        "\(try animation.encodedFrame(at: index).count)".padded(to: 10),
        frame.compression.name.padded(to: 11),
      ]
      lines.append(columns.joined(separator: " "))
    }
    return lines
  }

  private static let help = """
    Usage: webpmux -get frame N|icc|exif|xmp in_file -o out_file
           webpmux -info in_file

    Extracts parts of a WebP file, or lists its features. Other options of libwebp's webpmux are not supported.

    Options:
      -get ......... extract a frame, counted from 1, or metadata
      -info ........ list features and frames
      -version ..... print the version and exit
      -h ........... this help


    """
}
