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

  /// The reason why no file is processed.
  enum Ending: Error {
    case help
    case version
    /// An invalid command line. The help is printed after the line.
    case mistake(String)
    /// An option that writes a changed WebP file.
    case unsupported(String)
    /// An error that was reported already.
    case failed
  }

  let action: Action
  let input: String
  let output: String

  /// Reads the arguments. A single argument that is not an option names a file that contains the arguments.
  init(_ words: [String]) throws(Ending) {
    var words = words
    if words.count == 1, !words[0].hasPrefix("-") {
      guard let bytes = readToolInput(words[0]) else { throw .failed }
      words = bytes.split { [0x20, 0x09, 0x0D, 0x0A, 0x0C, 0x0B].contains($0) }.map { String(systemBytes: Array($0)) }
    }
    for option in ["-get", "-info", "-o"] where words.count(where: { $0 == option }) > 1 {
      let reason = option == "-o" ? "Multiple output files" : "Multiple '\(option)' arguments"
      throw .mistake("ERROR: \(reason) specified.")
    }
    try self.init(reading: words)
  }

  private init(reading words: [String]) throws(Ending) {
    var isGet = false
    var action: Action?
    var (input, output): (String?, String?)
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "-get":
        guard !isGet, action == nil else { throw .mistake("ERROR: Multiple actions specified.") }
        isGet = true
      case "-info":
        guard !isGet, action == nil else { throw .mistake("ERROR: Multiple actions specified.") }
        input = try Self.operands(1, of: word, &rest)[0]
        guard rest.isEmpty else { throw .mistake("ERROR: Too many arguments for '-info'.") }
        action = .info
      case "-o": output = try Self.operands(1, of: word, &rest)[0]
      case "-h", "-help": throw .help
      case "-version": throw .version
      case "-set", "-strip", "-duration", "-frame", "-loop", "-bgcolor": throw .unsupported(word)
      case "--":
        if let file = rest.first { input = try Self.onlyInput(file, after: input) }
        rest = []
      case _ where word.hasPrefix("-"): throw .mistake("ERROR: Unknown option: '\(word)'.")
      case _ where !isGet: throw .mistake("ERROR: Action must be specified before other arguments.")
      case "icc" where action == nil: action = .metadata(.iccp)
      case "exif" where action == nil: action = .metadata(.exif)
      case "xmp" where action == nil: action = .metadata(.xmp)
      case "frame" where action == nil: action = .frame(try Self.operands(1, of: word, &rest)[0])
      default: input = try Self.onlyInput(word, after: input)
      }
    }
    guard isGet || action != nil else { throw .mistake("ERROR: No action specified.") }
    guard let action else { throw .mistake("ERROR: No feature specified.") }
    guard let input else { throw .mistake("ERROR: No input file specified.") }
    guard output != nil || !isGet else { throw .mistake("ERROR: No output file specified.") }
    (self.action, self.input, self.output) = (action, input, output ?? "-")
  }

  private static func operands(
    _ count: Int, of option: String, _ rest: inout ArraySlice<String>
  ) throws(Ending) -> [String] {
    guard rest.count >= count else { throw .mistake("ERROR: Too few arguments for '\(option)'.") }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private static func onlyInput(_ word: String, after other: String?) throws(Ending) -> String {
    guard other == nil else { throw .mistake("ERROR at '\(word)': Multiple input files specified.") }
    return word
  }
}
