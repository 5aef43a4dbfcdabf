import CommandSystem

/// Imitates the program webpinfo of libwebp, with its messages and exit codes.
enum WebPInfo {
  static let options = "-version -quiet -diag -summary -bitstream_info -h"

  static func run(_ words: [String]) throws {
    var options = FileAnalysis.Options()
    var showsFindings = false
    var files = words[...]
    options: while let word = files.first {
      switch word {
      case "-quiet": options.listsChunks = false
      case "-diag": showsFindings = true
      case "-summary": options.summarizes = true
      case "-bitstream_info": options.describesStreams = true
      case "-version": throw ToolExit(output: "WebP Decoder version: 1.6.0\n")
      case "-h", "-help", "-H", "-longhelp": throw ToolExit(output: help)
      default: break options
      }
      files.removeFirst()
    }
    guard !files.isEmpty else { throw ToolExit(output: help, code: 1) }
    // The exit code depends on the last file only, as in webpinfo.
    var isSound = true
    for file in files { isSound = try report(on: file, options, showsFindings: showsFindings) }
    if !isSound { throw ToolExit.failure() }
  }

  private static func report(on path: String, _ options: FileAnalysis.Options, showsFindings: Bool) throws -> Bool {
    guard let bytes = readToolInput(path) else {
      printError("Failed to open input file \(path).")
      return false
    }
    var analysis = FileAnalysis(bytes, options)
    if options.listsChunks { try printOutput(lines: ["File: \(path)"]) }
    while analysis.advance() {
      try printOutput(lines: analysis.lines)
      if showsFindings { for finding in analysis.findings { printError(finding) } }
    }
    if options.listsChunks { try printOutput(lines: analysis.verdict) }
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
