import CommandSystem
import PureWebP

/// Imitates the program webpmux of libwebp, without the options that write changed WebP files.
enum WebPMux {
  static func run(_ words: [String]) throws {
    let arguments = try WebPMuxArguments(words)
    guard let bytes = readToolInput(arguments.input) else { throw ToolExit.failure() }
    guard let file = MuxFile(bytes) else {
      throw ToolExit.failure("Failed to create mux object from file \(arguments.input).")
    }
    switch arguments.action {
    case .info:
      do { try printOutput(lines: info(file)) } catch { throw ToolExit.failure() }
    case .metadata(let kind):
      guard let payload = file.payload(kind) else {
        let name = kind == .iccp ? "ICC profile" : kind == .exif ? "EXIF metadata" : "XMP metadata"
        throw ToolExit.failure("ERROR (WEBP_MUX_NOT_FOUND): Could not get the \(name).")
      }
      try write(Array(payload), to: arguments.output)
    case .frame(let text):
      guard let number = cNumber(text, base: 10) else { throw ToolExit.failure("Error! '\(text)' is not an integer.") }
      guard number >= 0 else { throw ToolExit.failure("ERROR: Frame/Fragment index must be non-negative.") }
      // 0 is the last frame.
      let index = number == 0 ? file.images.count - 1 : Int(number) - 1
      guard file.images.indices.contains(index), file.images[index].header != nil else {
        throw ToolExit.failure("ERROR (WEBP_MUX_NOT_FOUND): Could not get frame \(number).")
      }
      try write(MuxFile.file(of: file.images[index]), to: arguments.output)
    }
  }

  private static func write(_ bytes: [UInt8], to output: String) throws {
    let error = "Error writing file \(output)!"
    try writeToolOutput(
      output, errorsOpening: ["Error opening output WebP file \(output)!"], errorsWriting: [error]
    ) { write in
      try write(ContiguousArray(bytes))
    }
    // libwebp cannot write an empty file.
    guard !bytes.isEmpty else { throw ToolExit.failure(error) }
    printError("Saved file \(output) (\(bytes.count) bytes)")
  }

  /// Returns the lines that webpmux prints for `-info`.
  private static func info(_ file: MuxFile) -> [String] {
    var lines = ["Canvas size: \(file.size.width) x \(file.size.height)"]
    guard file.flags != 0 else { return lines + ["No features present."] }
    let features: [(MuxFile.Flag, String)] = [
      (.animation, "animation"), (.icc, "ICC profile"), (.exif, "EXIF metadata"), (.xmp, "XMP metadata"),
      (.alpha, "transparency"),
    ]
    lines.append("Features present:" + features.filter { file.has($0.0) }.map { " " + $0.1 }.joined())
    if file.has(.animation) { lines += frameTable(file) }
    if let icc = file.payload(.iccp) { lines.append("Size of the ICC profile data: \(icc.count)") }
    if let exif = file.payload(.exif) { lines.append("Size of the EXIF metadata: \(exif.count)") }
    if let xmp = file.payload(.xmp) { lines.append("Size of the XMP metadata: \(xmp.count)") }
    if file.has(.alpha) && !file.has(.animation) {
      lines.append("Size of the image (with alpha): \(MuxFile.file(of: file.images[0]).count)")
    }
    return lines
  }

  private static func frameTable(_ file: MuxFile) -> [String] {
    let payload = file.payload(.anim) ?? []
    // libwebp ignores a payload that is too short.
    let parameters = payload.count < 6 ? [] : payload
    let color = String(parameters.number(at: 0, bytes: 4), radix: 16, uppercase: true)
    let count = file.images.count { $0.header != nil }
    var lines = [
      "Background color : 0x\(color.padded(to: 8, with: "0"))  Loop Count : \(parameters.number(at: 4, bytes: 2))",
      "Number of frames: \(count)",
      "No.: width height alpha x_offset y_offset duration   dispose blend image_size  compression",
    ]
    // An image that precedes the frames is listed as a frame.
    let still: ArraySlice<UInt8> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    for (index, frame) in file.images.prefix(count).enumerated() {
      let header = frame.header ?? still
      let flags = header.number(at: 15, bytes: 1)
      let columns = [
        "\(index + 1):".padded(to: 4), "\(frame.width)".padded(to: 5), "\(frame.height)".padded(to: 5),
        (frame.hasAlpha ? "yes" : "no").padded(to: 5), "\(2 * header.number(at: 0, bytes: 3))".padded(to: 8),
        "\(2 * header.number(at: 3, bytes: 3))".padded(to: 8),
        "\(header.number(at: 12, bytes: 3))".padded(to: 8),
        (flags & 1 == 0 ? "none" : "background").padded(to: 10), (flags & 2 == 0 ? "yes" : "no").padded(to: 5),
        "\(MuxFile.file(of: frame).count)".padded(to: 10), (frame.isLossless ? "lossless" : "lossy").padded(to: 11),
      ]
      lines.append(columns.joined(separator: " "))
    }
    return lines
  }

  static let help = """
    Usage: webpmux -get icc|exif|xmp in_file -o out_file
           webpmux -get frame N in_file -o out_file
           webpmux -info in_file
           webpmux argument_file_name

    Extracts parts of a WebP file, or lists its features. The options of libwebp's webpmux that write changed WebP files
    are not supported: -set, -strip, -duration, -frame, -loop and -bgcolor.

    Options:
      -get ......... extract metadata, or a frame, counted from 1; 0 is the last frame
      -info ........ list features and frames
      -version ..... print the version and exit
      -h ........... this help


    """
}
