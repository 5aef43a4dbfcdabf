import ArgumentParser
import PureWebP

/// What both decoders are asked for, alike.
struct Setup: ParsableArguments {
  @Option(help: ArgumentHelp("The shared library of libwebp.", valueName: "path"))
  var libwebp: String?

  @Flag(help: "Decode and compose all frames of animations. Takes the libwebpdemux that lies beside libwebp.")
  var animation = false

  @Option(
    name: .customLong("png"),
    help: ArgumentHelp(
      "Race whole commands, from file to PNG, against this dwebp. Takes a webp that is built in release.",
      valueName: "path of dwebp"))
  var dwebp: String?

  @Option(help: ArgumentHelp("Threads that a decoder may use. libwebp knows one and two.", valueName: "n"))
  var threads = 1

  @Option(help: "Layout of the pixels.")
  var format = Format.rgba

  @Option(help: "Decode into the same memory each time, or into new pages as a program does that shows a picture once.")
  var memory = Memory.reused

  @Option(help: ArgumentHelp("Scale while decoding, each side by this factor.", valueName: "factor"))
  var scale: Double?

  @Option(
    name: .customLong("streaming"),
    help: ArgumentHelp("Hand over the file in pieces of this many bytes. Takes --memory fresh.", valueName: "bytes"))
  var pieceSize: Int?

  func validate() throws {
    guard (1...64).contains(threads) else { throw ValidationError("--threads takes a number from 1 to 64.") }
    guard (scale ?? 1) > 0 else { throw ValidationError("--scale takes a number above 0.") }
    guard (pieceSize ?? 1) > 0 else { throw ValidationError("--streaming takes a number above 0.") }
    guard kind == .picture || (scale == nil && pieceSize == nil) else {
      throw ValidationError("--scale and --streaming are for pictures that are only decoded.")
    }
    guard kind == .picture || memory == .reused else {
      throw ValidationError("Animations and commands use memory as they like; --memory is for pictures.")
    }
    guard kind != .png || (format == .rgba && !animation) else {
      throw ValidationError("--png goes without --format and --animation.")
    }
    guard pieceSize == nil || memory == .fresh else {
      throw ValidationError("A streaming decoder has memory of its own: --streaming needs --memory fresh.")
    }
  }

  /// What is decoded.
  var kind: Kind { dwebp != nil ? .png : animation ? .animation : .picture }

  enum Kind {
    case picture, animation, png
  }

  /// Ours, for pictures and animations.
  var options: WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.format = format.ours
    options.limits = .none
    options.threads = .atMost(threads)
    return options
  }

  func loadLibWebP() throws -> LibWebP { try LibWebP(path: libwebp ?? "") }
}

extension Setup {
  /// Options with which a new process does the same.
  var arguments: [String] {
    ["--threads", "\(threads)", "--format", format.rawValue, "--memory", memory.rawValue]
      + (scale.map { ["--scale", "\($0)"] } ?? []) + (pieceSize.map { ["--streaming", "\($0)"] } ?? [])
      + (libwebp.map { ["--libwebp", $0] } ?? []) + (dwebp.map { ["--png", $0] } ?? [])
      + (animation ? ["--animation"] : [])
  }

  var clock: Clock { threads == 1 ? .processor : .wall }
}

/// Who decodes.
enum Side: String, CaseIterable, ExpressibleByArgument {
  case ours, libwebp
}

/// What pixels are written to.
enum Memory: String, CaseIterable, ExpressibleByArgument {
  case reused, fresh
}

/// A layout of pixels, with its name in either decoder.
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

  /// A number of libwebp's WEBP_CSP_MODE.
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
