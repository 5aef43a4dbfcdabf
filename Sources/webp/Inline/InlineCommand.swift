import ArgumentParser
import CommandSystem
import SystemPackage

/// The subcommand `inline`, which runs the program `webp-inline` in this process. That program is in the folder of this
/// program, in the folder of the link by which this program was called, or on the PATH.
struct InlineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    subcommand: "inline",
    abstract: "Writes a page with its WebP images as PNGs within it.",
    usage: "webp inline <page> --output <out> [<options>]")

  @Argument(parsing: .captureForPassthrough, help: "See webp inline --help.", completion: .file())
  var arguments: [String] = []

  func run() throws {
    let called = commandLineWords.first ?? ""
    let words = [inlineCommandName] + arguments
    for program in [programPath, called.contains("/") ? FilePath(argument: called) : nil].compactMap(\.self) {
      let helper = program.removingLastComponent().appending(Self.helper).argument
      if FileKind(helper) != .nothing { throw Self.failure(helper, exec(helper, words)) }
    }
    let error = exec(Self.helper, words)
    guard error == .noSuchFileOrDirectory else { throw Self.failure(Self.helper, error) }
    let build = "swift build -c release --product \(Self.helper)"
    throw Self.failure(Self.helper, "not found; build it with \"\(build)\", and copy it to where webp is")
  }

  private static let helper = "webp-inline"

  private static func failure(_ helper: String, _ reason: Any) -> ExitCode {
    printError("\(Failure(helper, reason))")
    return .failure
  }
}
