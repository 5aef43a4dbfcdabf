import PureWebP

extension WebP.DecodeOptions {
  /// Parses options as the tables write them: libwebp's name of a layout, and words such as
  /// `crop=4,2,10,8 size=7x9 flip`, or `-` for none.
  init(layout: String, words: String) {
    self.init()
    format = WebP.PixelFormat.allCases.first { $0.libwebpName == layout }!
    for word in words.split(separator: " ") where word != "-" {
      let parts = word.split(separator: "=")
      let numbers = parts.dropFirst().flatMap { $0.split { $0 == "," || $0 == "x" }.map { Int($0)! } }
      switch parts[0] {
      case "crop": crop = WebP.Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      case "size":
        let sides = numbers.map { $0 == 0 ? nil : $0 }
        size = .exact(width: sides[0], height: sides[1])
      case "dither": dithering = numbers[0]
      case "alpha-dither": alphaSmoothing = numbers[0]
      case "nearest": upsampling = .nearest
      case "unfiltered": bypassesLoopFilter = true
      case "flip": flipsVertically = true
      default: fatalError("unknown option: \(word)")
      }
    }
  }
}

extension WebP.PixelFormat {
  /// The name of the layout in libwebp's `WEBP_CSP_MODE`, without `MODE_`. Nil if libwebp does not have it.
  public var libwebpName: String? {
    switch self {
    case .rgb: "RGB"
    case .rgba: "RGBA"
    case .bgr: "BGR"
    case .bgra: "BGRA"
    case .argb: "ARGB"
    case .rgba4444: "RGBA_4444"
    case .rgb565: "RGB_565"
    case .rgbaPremultiplied: "rgbA"
    case .bgraPremultiplied: "bgrA"
    case .argbPremultiplied: "Argb"
    case .rgba4444Premultiplied: "rgbA_4444"
    case .yuv: "YUV"
    case .yuva: "YUVA"
    case .luma, .gray8: nil
    }
  }
}

/// A line of `references/options.tsv`: a vector decoded with options.
public struct OptionCase: TableLine {
  public let file: String
  public let options: WebP.DecodeOptions
  private let name: String
  private let expected: Verdict

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: fields[2])
    name = "\(fields[1]) \(fields[2])"
    expected = Verdict(status: 0, width: Int(fields[3])!, height: Int(fields[4])!, sum: UInt32(fields[5], radix: 16)!)
  }

  /// Returns the difference between PureWebP's result and the reference, if there is one.
  public func differences(of file: [UInt8]) -> [String] {
    let verdict = Verdict(file, options: options)
    return verdict == expected ? [] : ["\(name): \(verdict) instead of \(expected)"]
  }
}
