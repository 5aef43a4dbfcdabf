// What libwebp's webpinfo does, with its words and its exit codes.

import CommandSystem

enum WebPInfo {
  private struct Settings {
    var isQuiet = false
    var showsFindings = false
    var summarizes = false
    var describesStreams = false
  }

  /// - Returns: the exit code, which is that of the last file.
  static func run(_ words: [String]) -> Int32 {
    var settings = Settings()
    var files = words[...]
    options: while let word = files.first {
      switch word {
      case "-quiet": settings.isQuiet = true
      case "-diag": settings.showsFindings = true
      case "-summary": settings.summarizes = true
      case "-bitstream_info": settings.describesStreams = true
      case "-version":
        print("WebP Decoder version: 1.6.0")
        return 0
      case "-h", "-help", "-H", "-longhelp":
        print(help)
        return 0
      default: break options
      }
      files.removeFirst()
    }
    guard !files.isEmpty else {
      print(help)
      return 1
    }
    var status: Int32 = 0
    for file in files { status = report(on: file, settings) ? 0 : 1 }
    return status
  }

  private static func report(on path: String, _ settings: Settings) -> Bool {
    guard let bytes = readToolInput(path) else {
      printError("Failed to open input file \(path).\n")
      return false
    }
    if !settings.isQuiet { print("File: \(path)") }
    let analysis = FileAnalysis(
      bytes, listsChunks: !settings.isQuiet, describesStreams: settings.describesStreams,
      summarizes: settings.summarizes)
    for line in analysis.lines { print(line) }
    if settings.showsFindings { printError(analysis.findings.map { $0 + "\n" }.joined()) }
    if !settings.isQuiet { print(analysis.verdict) }
    return analysis.isSound
  }

  private static let help = """
    Usage: webpinfo [options] in_files

    Lists the chunks of WebP files and checks that they fit together.

    Options, before the files:
      -version ........... print the version and exit
      -quiet ............. print nothing; the exit code tells whether the last file is sound
      -diag .............. print what is wrong, as errors and warnings
      -summary ........... count the chunks
      -bitstream_info .... print the headers of the pictures' streams
      -h ................. this help

    """
}

extension FileAnalysis {
  /// The last lines.
  var verdict: String {
    (isSound ? "No error detected." : "Errors detected.")
      + (warningCount > 0 ? "\nThere were \(warningCount) warning(s)." : "")
  }
}
