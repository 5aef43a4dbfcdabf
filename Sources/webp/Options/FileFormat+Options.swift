import ArgumentParser
import PureWebP
import WebPExport

extension WebP.FileFormat: ExpressibleByArgument {
  /// Creates a format from its name or a file name extension, in lower or upper case.
  public init?(argument: String) {
    guard let format = Self(rawValue: argument.lowercased()) ?? Self(fileExtension: argument) else { return nil }
    self = format
  }

  // The default implementations take longer, because they compare descriptions of the cases.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
  public static var allValueDescriptions: [String: String] { [:] }
}

extension CompletionKind {
  /// Completes the names of WebP files and of folders.
  static var webPFile: Self { .file(extensions: ["webp"]) }
}
