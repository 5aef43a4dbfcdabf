import CommandSystem

/// Imitates the program webpinfo of libwebp, with its messages and exit codes.
enum WebPInfo {
  static let options = "-version -quiet -diag -summary -bitstream_info -h"

  private struct Settings {
    var isQuiet = false
    var showsFindings = false
    var summarizes = false
    var describesStreams = false
  }

  /// Runs the program.
  ///
  /// - Returns: the exit code, which depends on the last file only, as in webpinfo.
  static func run(_ words: [String]) throws -> Int32 {
    var settings = Settings()
    var files = words[...]
    options: while let word = files.first {
      switch word {
      case "-quiet": settings.isQuiet = true
      case "-diag": settings.showsFindings = true
      case "-summary": settings.summarizes = true
      case "-bitstream_info": settings.describesStreams = true
      case "-version":
        try printOutput("WebP Decoder version: 1.6.0\n")
        return 0
      case "-h", "-help", "-H", "-longhelp":
        try printOutput(help)
        return 0
      default: break options
      }
      files.removeFirst()
    }
    guard !files.isEmpty else {
      try printOutput(help)
      return 1
    }
    var status: Int32 = 0
    for file in files { status = try report(on: file, settings) ? 0 : 1 }
    return status
  }

  private static func report(on path: String, _ settings: Settings) throws -> Bool {
    guard let bytes = readToolInput(path) else {
      printError("Failed to open input file \(path).")
      return false
    }
    var analysis = FileAnalysis(
      bytes, listsChunks: !settings.isQuiet, describesStreams: settings.describesStreams,
      summarizes: settings.summarizes)
    if !settings.isQuiet { try printOutput(lines: ["File: \(path)"]) }
    while analysis.advance() {
      try printOutput(lines: analysis.lines)
      if settings.showsFindings { for finding in analysis.findings { printError(finding) } }
    }
    if !settings.isQuiet { try printOutput(lines: analysis.verdict) }
    return analysis.isSound
  }

  private static let help = """
    Usage: webpinfo [options] in_files

    Lists the chunks of WebP files and checks that they fit together.

    Options, before the files:
      -version ........... print the version and exit
      -quiet ............. print nothing; the exit code indicates whether the last file is valid
      -diag .............. print errors and warnings
      -summary ........... count the chunks
      -bitstream_info .... print the headers of the bitstreams
      -h ................. this help


    """
}

extension FileAnalysis {
  /// The last lines of the report.
  var verdict: [String] {
    [isSound ? "No error detected." : "Errors detected."]
      + (warningCount > 0 ? ["There were \(warningCount) warning(s)."] : [])
  }
}
