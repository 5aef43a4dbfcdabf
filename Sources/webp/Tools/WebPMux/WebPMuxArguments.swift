import CommandSystem
import PureWebP

/// The options and operands of webpmux's command line.
struct WebPMuxArguments {
  static let options = "-get -info -o -version -h"

  enum Action {
    case info
    case metadata(WebP.FourCC)
    /// The text that specifies the number of the frame.
    case frame(String)
  }

  let action: Action
  let input: String
  let output: String

  /// Reads the arguments. A single argument that is not an option names a file that contains the arguments.
  init(_ words: [String]) throws(ToolExit) {
    var words = words
    if words.count == 1, !words[0].hasPrefix("-") {
      guard let bytes = readToolInput(words[0]) else { throw .failure() }
      words = bytes.split { [0x20, 0x09, 0x0D, 0x0A, 0x0C, 0x0B].contains($0) }.map { String(systemBytes: Array($0)) }
    }
    for option in ["-get", "-info", "-o"] where words.count(where: { $0 == option }) > 1 {
      let reason = option == "-o" ? "Multiple output files" : "Multiple '\(option)' arguments"
      throw Self.mistake("ERROR: \(reason) specified.")
    }
    try self.init(reading: words)
  }

  private init(reading words: [String]) throws(ToolExit) {
    var isGet = false
    var action: Action?
    var (input, output): (String?, String?)
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "-get":
        guard !isGet, action == nil else { throw Self.mistake("ERROR: Multiple actions specified.") }
        isGet = true
      case "-info":
        guard !isGet, action == nil else { throw Self.mistake("ERROR: Multiple actions specified.") }
        input = try Self.operand(of: word, &rest)
        guard rest.isEmpty else { throw Self.mistake("ERROR: Too many arguments for '-info'.") }
        action = .info
      case "-o": output = try Self.operand(of: word, &rest)
      case "-h", "-help": throw ToolExit(output: WebPMux.help)
      case "-version": throw ToolExit(output: "1.6.0\n")
      case "-set", "-strip", "-duration", "-frame", "-loop", "-bgcolor":
        throw .failure("webpmux: \(word) is not supported, because webp does not write WebP files")
      case "--":
        if let file = rest.first { input = try Self.onlyInput(file, after: input) }
        rest = []
      case _ where word.hasPrefix("-"): throw Self.mistake("ERROR: Unknown option: '\(word)'.")
      case _ where !isGet: throw Self.mistake("ERROR: Action must be specified before other arguments.")
      case "icc" where action == nil: action = .metadata(.iccp)
      case "exif" where action == nil: action = .metadata(.exif)
      case "xmp" where action == nil: action = .metadata(.xmp)
      case "frame" where action == nil: action = .frame(try Self.operand(of: word, &rest))
      default: input = try Self.onlyInput(word, after: input)
      }
    }
    guard isGet || action != nil else { throw Self.mistake("ERROR: No action specified.") }
    guard let action else { throw Self.mistake("ERROR: No feature specified.") }
    guard let input else { throw Self.mistake("ERROR: No input file specified.") }
    guard output != nil || !isGet else { throw Self.mistake("ERROR: No output file specified.") }
    (self.action, self.input, self.output) = (action, input, output ?? "-")
  }

  private static func operand(of option: String, _ rest: inout ArraySlice<String>) throws(ToolExit) -> String {
    guard let operand = rest.popFirst() else { throw mistake("ERROR: Too few arguments for '\(option)'.") }
    return operand
  }

  private static func onlyInput(_ word: String, after other: String?) throws(ToolExit) -> String {
    guard other == nil else { throw Self.mistake("ERROR at '\(word)': Multiple input files specified.") }
    return word
  }

  private static func mistake(_ line: String) -> ToolExit {
    ToolExit(errors: [line, "Exiting due to command-line parsing error."], output: WebPMux.help, code: 1)
  }
}
