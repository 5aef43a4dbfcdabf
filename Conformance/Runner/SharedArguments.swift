import ArgumentParser
import Foundation

/// The files and folders of a command, at least one.
struct FileArguments: ParsableArguments {
  @Argument(help: "Files, and folders whose *.webp files are used, including their subfolders.")
  var paths: [String]

  func files() throws -> [URL] { try Self.files(paths) }

  static func files(_ paths: [String]) throws -> [URL] {
    try paths.flatMap { path -> [URL] in
      let url = try existing(path)
      guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [url] }
      let below = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".webp") }
      return below.sorted().map { url.appendingPathComponent($0) }
    }
  }

  static func existing(_ path: String) throws -> URL {
    guard FileManager.default.fileExists(atPath: path) else { throw ValidationError("\(path) does not exist") }
    return URL(fileURLWithPath: path)
  }
}

/// The first number of a range of seeds.
struct Numbers: ParsableArguments {
  @Option(help: ArgumentHelp("The first number.", valueName: "k"))
  var first: UInt32 = 0

  func range(_ count: UInt32) -> Range<Int> { Int(first)..<Int(first) + Int(count) }
}

/// The amount of output.
struct Verbosity: ParsableArguments {
  @Flag(help: "Print only differences and the summary.")
  var quiet = false
}
