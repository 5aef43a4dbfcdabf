import ArgumentParser
import PureWebP

/// The options of a benchmark, which apply to both PureWebP and libwebp.
struct Setup: ParsableArguments {
  @Option(help: ArgumentHelp("The shared library of libwebp.", valueName: "path"))
  var libwebp: String?

  @Flag(help: "Decode and compose all frames of animations. Uses the libwebpdemux in libwebp's folder.")
  var animation = false

  @Option(
    name: .customLong("png"),
    help: ArgumentHelp(
      "Compare complete commands, from file to PNG, with this dwebp. Uses the release build of webp.",
      valueName: "path of dwebp"))
  var dwebp: String?

  @Option(help: ArgumentHelp("Threads that a decoder may use. libwebp uses at most two.", valueName: "n"))
  var threads = 1

  @Option(help: "Layout of the pixels.")
  var format = Format.rgba

  @Option(help: "Decode into the same memory in each run, or into new pages, as for an image that is shown once.")
  var memory = Memory.reused

  @Option(help: ArgumentHelp("Scale while decoding, each side by this factor.", valueName: "factor"))
  var scale: Double?

  @Option(
    name: .customLong("streaming"),
    help: ArgumentHelp("Append the file in parts of this many bytes. Requires --memory fresh.", valueName: "bytes"))
  var pieceSize: Int?

  func validate() throws {
    guard (1...64).contains(threads) else { throw ValidationError("--threads must be from 1 to 64") }
    guard (scale ?? 1) > 0 else { throw ValidationError("--scale must be greater than 0") }
    guard (pieceSize ?? 1) > 0 else { throw ValidationError("--streaming must be greater than 0") }
    guard kind == .image || (scale == nil && pieceSize == nil) else {
      throw ValidationError("--scale and --streaming cannot be combined with --animation or --png")
    }
    guard kind == .image || memory == .reused else {
      throw ValidationError("--memory cannot be combined with --animation or --png")
    }
    guard kind != .png || (format == .rgba && !animation) else {
      throw ValidationError("--png cannot be combined with --format or --animation")
    }
    guard pieceSize == nil || memory == .fresh else {
      throw ValidationError("--streaming requires --memory fresh")
    }
  }

  var kind: Kind { dwebp != nil ? .png : animation ? .animation : .image }

  enum Kind {
    case image, animation, png
  }

  /// The options of this decoder, for images and animations.
  var options: WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.format = format.ours
    options.limits = .unlimited
    options.threads = .atMost(threads)
    return options
  }

  func loadLibWebP() throws -> LibWebP { try LibWebP(path: libwebp ?? "") }
}

extension Setup {
  /// The command-line arguments for a new process with the same task.
  var arguments: [String] {
    ["--threads", "\(threads)", "--format", format.rawValue, "--memory", memory.rawValue]
      + (scale.map { ["--scale", "\($0)"] } ?? []) + (pieceSize.map { ["--streaming", "\($0)"] } ?? [])
      + (libwebp.map { ["--libwebp", $0] } ?? []) + (dwebp.map { ["--png", $0] } ?? [])
      + (animation ? ["--animation"] : [])
  }

  var clock: Clock { threads == 1 ? .processor : .wall }
}

/// The decoder that is measured: PureWebP or libwebp.
enum Side: String, CaseIterable, ExpressibleByArgument {
  case ours, libwebp
}

/// The memory that pixels are written to: the same in each run, or new pages.
enum Memory: String, CaseIterable, ExpressibleByArgument {
  case reused, fresh
}

/// A pixel format, with its names in both decoders.
enum Format: String, CaseIterable, ExpressibleByArgument {
  case rgba, bgra, argb, rgb, bgr
  case rgbaPremultiplied = "rgba-premultiplied"
  case bgraPremultiplied = "bgra-premultiplied"
  case argbPremultiplied = "argb-premultiplied"
  case yuv, yuva

  var ours: WebP.PixelFormat {
    switch self {
    case .rgba: .rgba
    case .bgra: .bgra
    case .argb: .argb
    case .rgb: .rgb
    case .bgr: .bgr
    case .rgbaPremultiplied: .rgbaPremultiplied
    case .bgraPremultiplied: .bgraPremultiplied
    case .argbPremultiplied: .argbPremultiplied
    case .yuv: .yuv
    case .yuva: .yuva
    }
  }

  /// The value of libwebp's enumeration WEBP_CSP_MODE.
  var libwebp: Int32 {
    switch self {
    case .rgb: 0
    case .rgba: 1
    case .bgr: 2
    case .bgra: 3
    case .argb: 4
    case .rgbaPremultiplied: 7
    case .bgraPremultiplied: 8
    case .argbPremultiplied: 9
    case .yuv: 11
    case .yuva: 12
    }
  }
}
