import CommandSystem
import PureWebP
import WebPExport

/// Imitates the program dwebp of libwebp, with its messages and exit codes, so that scripts work unchanged.
enum DWebP {
  /// Ends the program, with its messages and its exit code.
  struct Exit: Error {
    /// Lines for standard error.
    var errors: [String] = []
    /// Text for standard output, which follows the errors.
    var output = ""
    var code: Int32 = 1
  }

  /// Runs the program with the words of the command line, and ends the process.
  static func main(_ words: [String]) -> Never {
    do {
      do { try run(words) } catch let exit as Exit {
        for line in exit.errors { printError(line) }
        try printOutput(exit.output)
        exitProcess(exit.code)
      }
      exitProcess(0)
    } catch { Failure(writing: "-", error).endProgram() }
  }

  private static func run(_ words: [String]) throws {
    let arguments = try DWebPArguments(words)
    let input = arguments.input ?? ""
    let bytes = try read(input)
    let info: WebP.ImageInfo
    let decoded: WebP.Image?
    do {
      info = try WebP.info(bytes)
      var options = arguments.decoding
      options.format = arguments.pixelFormat ?? arguments.format.pixelFormat(hasAlpha: info.hasAlpha)
      guard let threads = try? threadsInMemory(for: input, bytes, info, [options], copies: 2, composes: false) else {
        throw fail(input, status: 1)
      }
      options.threads = threads
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
      decoded = try decode(bytes, options, isIncremental: arguments.isIncremental)
    } catch let error as WebP.DecodeError {
      let exit = fail(input, status: error.status)
      // Users of libwebp's tools do not know limits, so the error is explained.
      if error.kind == .limitExceeded { printError("\(error); webp decode has options for limits") }
      throw exit
    }
    guard let image = decoded else { throw fail(input, status: 5) }

    let alpha = info.hasAlpha ? " (with alpha)" : ""
    let summary = "imensions: \(image.width) x \(image.height) \(alpha). Format: \(info.compression.name)"
    guard let output = arguments.output else {
      if !arguments.isQuiet {
        printError("File \(input) can be decoded (d\(summary)).")
        printError("Nothing written; use -o flag to save the result as e.g. PNG.")
      }
      return
    }
    if !arguments.isQuiet { printError("Decoded \(input). D\(summary). Now saving...") }
    try save(image, to: output, arguments)
  }

  private static func read(_ path: String) throws(Exit) -> [UInt8] {
    guard var input = try? InputFile(path) else {
      throw Exit(errors: [path == "-" ? "Could not read from stdin." : "cannot open input file '\(path)'"])
    }
    guard let bytes = try? input.readAll(limit: WebP.Limits().maximumBytes), path == "-" || !bytes.isEmpty else {
      throw Exit(errors: [
        path == "-" ? "Could not read from stdin." : "Could not read 0 bytes of data from file \(path)"
      ])
    }
    return bytes
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

  /// Prints the status of the decoder, and returns the end of the program.
  private static func fail(_ input: String, status: Int) -> Exit {
    let names = [
      "OK", "OUT_OF_MEMORY", "INVALID_PARAM", "BITSTREAM_ERROR", "UNSUPPORTED_FEATURE", "SUSPENDED", "USER_ABORT",
      "NOT_ENOUGH_DATA",
    ]
    printError("Decoding of \(input) failed.")
    printError("Status: \(status)(\(names[status]))")
    return Exit()
  }

  private static func save(_ image: WebP.Image, to output: String, _ arguments: DWebPArguments) throws {
    let start = secondsNow
    let message = output == "-" ? "Error writing to stdout !!" : "Error writing file \(output) !!"
    var isOpen = false
    do {
      try writeOutput(output) { write in
        isOpen = true
        if image.format.bytesPerPixel == 2 {
          try write(.init("P5\n\(image.width * 2) \(image.height)\n255\n".utf8) + image.pixels)
        } else {
          let pixels = arguments.pixelFormat == nil ? image : image.relabeled(for: arguments.format)
          _ = try pixels.write(as: arguments.format, png: .init(reducesColors: false), to: write)
        }
      }
    } catch {
      throw Exit(errors: isOpen ? [message] : ["Error opening output file \(output)", message])
    }
    if !arguments.isQuiet { printError(output == "-" ? "Saved to stdout" : "Saved file \(output)") }
    if arguments.isVerbose { printError("Time to write output: \(seconds(secondsNow - start))") }
  }

  static let help = """
    Usage: dwebp in_file [options] [-o out_file]

    Decodes a WebP image to a PNG, or to another kind of file. Animations are not supported.

      -pam -ppm -bmp -tiff -pgm -yuv -alpha                   the kind of file
      -crop <x> <y> <w> <h>, -resize <w> <h>, -flip           the part of the image, its size and direction
      -nofancy -nofilter -dither <d> -nodither -alpha_dither  the pixels
      -v -quiet -version -h                                   messages
      -mt -noasm -incremental                                 options that do not change the output


    """
}

extension WebP.Image {
  /// Returns an image with the same bytes, but labeled with the pixel format that the file format requires. Like dwebp,
  /// it does not convert the pixels.
  fileprivate func relabeled(for file: WebP.FileFormat) -> Self {
    let assumed: WebP.PixelFormat = file == .pgm ? format : file == .ppm ? .rgb : .rgba
    return WebP.Image(width: width, height: height, format: assumed, pixels: pixels, layout: layout)
  }
}
