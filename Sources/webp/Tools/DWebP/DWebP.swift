import CommandSystem
import PureWebP
import WebPExport

/// Imitates the program dwebp of libwebp, with its messages and exit codes, so that scripts work unchanged.
enum DWebP {
  /// Runs the program.
  ///
  /// - Returns: the exit code.
  static func run(_ words: [String]) throws -> Int32 {
    do throws(DWebPArguments.Ending) {
      let arguments = try DWebPArguments(words)
      return decode(arguments, from: arguments.input ?? "") ? 0 : 1
    } catch {
      switch error {
      case .help: try printOutput(help)
      case .version: try printOutput("1.6.0\n")
      case .mistake(let line):
        printError(line)
        try printOutput(help)
        return 1
      }
      return 0
    }
  }

  private static func decode(_ arguments: DWebPArguments, from input: String) -> Bool {
    guard let bytes = readToolInput(input) else { return false }
    let info: WebP.ImageInfo
    let image: WebP.Image
    do throws(WebP.DecodeError) {
      info = try WebP.info(bytes)
      var options = arguments.decoding
      options.format = arguments.pixelFormat ?? arguments.format.pixelFormat(hasAlpha: info.hasAlpha)
      if (try? checkMemory(for: input, info, options, copies: 1)) == nil { return fail(input, status: 1) }
      let start = secondsNow
      defer {
        if arguments.isVerbose { printError("Time to decode picture: \(seconds(secondsNow - start))") }
      }
      if info.isAnimated {
        printError("Error! Decoding of an animated WebP file is not supported.")
        printError("       Use webpmux to extract the individual frames or")
        printError("       vwebp to view this image.")
        throw WebP.stillDecoderError(forAnimation: bytes)
      }
      guard let decoded = try decode(bytes, options, isIncremental: arguments.isIncremental) else {
        return fail(input, status: 5)
      }
      image = decoded
    } catch {
      let isDecoded = fail(input, status: error.status)
      // Users of libwebp's tools do not know limits, so the error is explained.
      if error.kind == .limitExceeded { printError("\(error); webp decode has options for limits") }
      return isDecoded
    }

    let alpha = info.hasAlpha ? " (with alpha)" : ""
    let summary = "imensions: \(image.width) x \(image.height) \(alpha). Format: \(info.compression.name)"
    guard let output = arguments.output else {
      if !arguments.isQuiet {
        printError("File \(input) can be decoded (d\(summary)).")
        printError("Nothing written; use -o flag to save the result as e.g. PNG.")
      }
      return true
    }
    if !arguments.isQuiet { printError("Decoded \(input). D\(summary). Now saving...") }
    return save(image, to: output, arguments)
  }

  /// Decodes the image.
  ///
  /// - Returns: nil if an incremental decoder would wait for more bytes.
  private static func decode(
    _ bytes: [UInt8], _ options: WebP.DecodeOptions, isIncremental: Bool
  ) throws(WebP.DecodeError) -> WebP.Image? {
    guard isIncremental else { return try WebP.decode(bytes, options: options) }
    var decoder = WebP.StreamingDecoder(options: options)
    return try decoder.append(bytes) == .finished ? decoder.image : nil
  }

  private static func fail(_ input: String, status: Int) -> Bool {
    let names = [
      "OK", "OUT_OF_MEMORY", "INVALID_PARAM", "BITSTREAM_ERROR", "UNSUPPORTED_FEATURE", "SUSPENDED", "USER_ABORT",
      "NOT_ENOUGH_DATA",
    ]
    printError("Decoding of \(input) failed.")
    printError("Status: \(status)(\(names[status]))")
    return false
  }

  private static func save(_ image: WebP.Image, to output: String, _ arguments: DWebPArguments) -> Bool {
    let start = secondsNow
    var isOpen = false
    do {
      try writeOutput(output) { write in
        isOpen = true
        var png = WebP.PNGOptions()
        png.reducesColors = false
        if image.format.bytesPerPixel == 2 {
          try write(.init("P5\n\(image.width * 2) \(image.height)\n255\n".utf8) + image.pixels)
        } else {
          let pixels = arguments.pixelFormat == nil ? image : image.relabeled(for: arguments.format)
          try pixels.write(as: arguments.format, png: png, to: write)
        }
      }
    } catch {
      if !isOpen { printError("Error opening output file \(output)") }
      printError(output == "-" ? "Error writing to stdout !!" : "Error writing file \(output) !!")
      return false
    }
    if !arguments.isQuiet { printError(output == "-" ? "Saved to stdout" : "Saved file \(output)") }
    if arguments.isVerbose { printError("Time to write output: \(seconds(secondsNow - start))") }
    return true
  }
}

extension WebP.Image {
  /// Returns an image with the same bytes, but labeled with the pixel format that the file format requires. Like dwebp,
  /// it does not convert the pixels.
  fileprivate func relabeled(for file: WebP.FileFormat) -> Self {
    let assumed: WebP.PixelFormat = file == .pgm ? format : file == .ppm ? .rgb : .rgba
    return WebP.Image(width: width, height: height, format: assumed, pixels: pixels, layout: layout)
  }
}
