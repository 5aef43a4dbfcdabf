import ArgumentParser
import PureWebP
import WebPExport

// File formats as arguments and as flags.

extension WebP.FileFormat: ExpressibleByArgument {
  /// Creates a format from its name or a file name extension, in lower or upper case.
  public init?(argument: String) {
    guard let format = Self(rawValue: argument.lowercased()) ?? Self(fileExtension: argument) else { return nil }
    self = format
  }
}

extension WebP.FileFormat: EnumerableFlag {
  public static func name(for value: Self) -> NameSpecification {
    [.customLong(value.rawValue), .customLong(value.rawValue, withSingleDash: true)]
  }

  public static func help(for value: Self) -> ArgumentHelp? {
    switch value {
    case .png: "Compressed; the default."
    case .pam: "RGBA, uncompressed."
    case .ppm: "RGB, uncompressed."
    case .pgm: "The planes in one grayscale image: Y, then U beside V, then A."
    case .bmp: "Windows bitmap."
    case .tiff: "TIFF, uncompressed."
    case .yuv: "The planes Y, U, V, A without a header."
    case .alphaPGM: "The alpha plane, as PGM."
    }
  }
}

extension CompletionKind {
  /// Completes the names of WebP files and of folders.
  static var webPFile: Self { .file(extensions: ["webp"]) }
}
