import PureWebP

extension WebP.DecodeOptions {
  /// Options as the tables write them: a layout by libwebp's name, and words like `crop=4,2,10,8 size=7x9 flip`, or `-`.
  init(layout: String, words: String) {
    self.init()
    format = Self.formats[layout]!
    for word in words.split(separator: " ") where word != "-" {
      let parts = word.split(separator: "=")
      let numbers = parts.dropFirst().flatMap { $0.split { $0 == "," || $0 == "x" }.map { Int($0)! } }
      switch parts[0] {
      case "crop": crop = WebP.Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      case "size": size = .exact(width: numbers[0], height: numbers[1])
      case "dither": dithering = numbers[0]
      case "alpha-dither": alphaDithering = numbers[0]
      case "nearest": upsampling = .nearest
      case "unfiltered": bypassesLoopFilter = true
      case "flip": flipsVertically = true
      default: fatalError("no such option: \(word)")
      }
    }
  }

  private static let formats: [String: WebP.PixelFormat] = [
    "RGB": .rgb, "RGBA": .rgba, "BGR": .bgr, "BGRA": .bgra, "ARGB": .argb, "RGBA_4444": .rgba4444,
    "RGB_565": .rgb565, "rgbA": .rgbaPremultiplied, "bgrA": .bgraPremultiplied, "Argb": .argbPremultiplied,
    "rgbA_4444": .rgba4444Premultiplied, "YUV": .yuv, "YUVA": .yuva,
  ]
}

/// A line of `references/options.tsv`: a vector decoded with options.
public struct OptionCase: Sendable {
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

  /// In what PureWebP's answer differs.
  public func differences(of file: [UInt8]) -> [String] {
    let verdict = Verdict(file, options: options)
    return verdict == expected ? [] : ["\(name): \(verdict) instead of \(expected)"]
  }
}

/// A line of `references/incremental.tsv`: how many rows there are of a vector whose first bytes have come.
public struct ShownRows: Sendable {
  public let file: String
  private let options: WebP.DecodeOptions
  private let name: String
  /// Nil where libwebp takes the beginning for damaged.
  private let runs: [(rows: Int?, count: Int)]

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: fields[2])
    name = "\(fields[1]) \(fields[2])"
    runs = fields[3...].map {
      let parts = $0.split(separator: "x")
      return (Int(parts[0]), Int(parts[1])!)
    }
  }

  /// The lengths at which PureWebP shows other rows, or other pixels in them than those of the whole picture.
  public func differences(of file: [UInt8]) -> [String] {
    guard let whole = try? WebP.decode(file, options: options) else { return ["\(name): an error"] }
    var found: [String] = []
    var length = 0
    for (expected, count) in runs {
      for _ in 0..<count {
        defer { length += 1 }
        var decoder = WebP.StreamingDecoder(options: options)
        do {
          _ = try decoder.append(file[..<length])
        } catch {
          found.append("\(name), \(length) bytes: \(error)")
        }
        let rows = decoder.finishedRows
        if let expected, rows != expected {
          found.append("\(name), \(length) bytes: \(rows) rows instead of \(expected)")
        }
        if let image = decoder.image, !image.hasSameRows(rows, as: whole, isFlipped: options.flipsVertically) {
          found.append("\(name), \(length) bytes: the \(rows) rows are not those of the picture")
        }
      }
    }
    return found
  }
}

extension WebP.Image {
  /// Whether the first rows of all planes, or the last ones of a flipped picture, are the same.
  fileprivate func hasSameRows(_ count: Int, as other: WebP.Image, isFlipped: Bool) -> Bool {
    layout.planes.allSatisfy { plane in
      // Of chroma, which has half the rows, a last single row counts only when the picture is whole.
      let rows = plane.rows == height ? count : count == height ? plane.rows : count / 2
      let first = isFlipped ? plane.rows - rows : 0
      let bytes = plane.offset + first * plane.stride..<plane.offset + (first + rows) * plane.stride
      return pixels[bytes] == other.pixels[bytes]
    }
  }
}
