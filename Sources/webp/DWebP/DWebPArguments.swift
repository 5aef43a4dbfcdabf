import CommandSystem
import PureWebP
import WebPExport

/// The options and operands of dwebp's command line.
struct DWebPArguments {
  var input: String?
  var output: String?
  var format = WebP.FileFormat.png
  /// The operand of -pixel_format: the layout in which pixels are written.
  var pixelFormat: WebP.PixelFormat?
  var decoding = WebP.DecodeOptions()
  var isIncremental = false
  var isVerbose = false
  var isQuiet = false

  /// Reads the arguments from left to right. If options contradict each other, the last one is used.
  init(_ arguments: [String]) throws(DWebP.Exit) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      // dwebp does not recognize an option that lacks operands.
      if let count = Self.operandCounts[argument], rest.count >= count {
        let operands = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        try take(argument, operands)
      } else if argument == "--" {
        input = rest.first ?? input
        break
      } else if argument.utf8.first == UInt8(ascii: "-") {
        throw Self.mistake("Unknown option '\(argument)'")
      } else {
        input = argument
      }
    }
    guard input != nil else { throw Self.mistake("missing input file!!") }
    if isQuiet { isVerbose = false }
  }

  private static func mistake(_ line: String) -> DWebP.Exit {
    DWebP.Exit(errors: [line], output: DWebP.help)
  }

  private static let operandCounts: [String: Int] = [
    "-h": 0, "-help": 0, "-version": 0, "-o": 1, "-v": 0, "-quiet": 0,
    "-pam": 0, "-ppm": 0, "-bmp": 0, "-tiff": 0, "-pgm": 0, "-yuv": 0, "-alpha": 0, "-pixel_format": 1,
    "-nofancy": 0, "-nofilter": 0, "-dither": 1, "-nodither": 0, "-alpha_dither": 0,
    "-crop": 4, "-resize": 2, "-scale": 2, "-flip": 0,
    "-mt": 0, "-noasm": 0, "-incremental": 0, "-external_memory": 1,
  ]

  private mutating func take(_ option: String, _ operands: [String]) throws(DWebP.Exit) {
    switch option {
    case "-h", "-help": throw DWebP.Exit(output: DWebP.help, code: 0)
    case "-version": throw DWebP.Exit(output: "1.6.0\n", code: 0)
    case "-o": output = operands[0]
    case "-v": isVerbose = true
    case "-quiet": isQuiet = true
    case "-nofancy": decoding.upsampling = .nearest
    case "-nofilter": decoding.bypassesLoopFilter = true
    case "-pixel_format": try takePixelFormat(operands[0])
    case "-dither": decoding.dithering = min(max(try Self.numbers(operands)[0], 0), 100)
    case "-nodither": decoding.dithering = 0
    case "-crop":
      let numbers = try Self.numbers(operands)
      decoding.crop = WebP.Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    case "-resize", "-scale":
      let sides = try Self.numbers(operands).map { $0 == 0 ? nil : $0 }
      decoding.size = .exact(width: sides[0], height: sides[1])
    case "-flip": decoding.flipsVertically = true
    case "-incremental": isIncremental = true
    case "-alpha_dither": decoding.alphaSmoothing = 100
    case "-external_memory":
      guard 0...2 ~= (try Self.numbers(operands)[0]) else {
        throw Self.mistake("Can't parse 'external_memory' value \(operands[0])")
      }
    case "-mt", "-noasm": break
    default:
      // The remaining options are the names of file formats.
      format = WebP.FileFormat(rawValue: String(option.dropFirst())) ?? format
      pixelFormat = nil
    }
  }

  private mutating func takePixelFormat(_ name: String) throws(DWebP.Exit) {
    let formats: [String: WebP.PixelFormat] = [
      "RGBA": .rgba, "BGRA": .bgra, "ARGB": .argb, "rgbA": .rgbaPremultiplied, "bgrA": .bgraPremultiplied,
      "Argb": .argbPremultiplied, "RGB": .rgb, "BGR": .bgr, "YUV": .yuv, "YUVA": .yuva, "RGB_565": .rgb565,
      "RGBA_4444": .rgba4444, "rgbA_4444": .rgba4444Premultiplied,
    ]
    guard let found = formats[name] else { throw Self.mistake("Can't parse pixel_format \(name)") }
    pixelFormat = found
    // Each pixel of 16 bits is written as two gray pixels.
    format = found.bytesPerPixel == 4 ? .png : found.bytesPerPixel == 3 ? .ppm : .pgm
  }

  private static func numbers(_ operands: [String]) throws(DWebP.Exit) -> [Int] {
    try operands.map { (operand) throws(DWebP.Exit) in
      guard let number = cNumber(operand) else { throw mistake("Error! '\(operand)' is not an integer.") }
      return Int(number)
    }
  }
}
