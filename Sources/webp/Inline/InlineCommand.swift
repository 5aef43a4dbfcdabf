import ArgumentParser
import CommandSystem

/// Hands over to the program `webp-inline`, beside this one or on the PATH.
struct InlineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inline",
    abstract: "Writes a page with its WebP images as PNGs within it.")

  @Argument(parsing: .captureForPassthrough, help: "See webp inline --help.")
  var arguments: [String] = []

  func run() throws {
    let own = CommandLine.arguments.first ?? ""
    let beside = own.dropLast(own.lastPathComponent.count) + "webp-inline"
    let error = becomeProgram(String(beside), arguments)
    printError("webp: the program webp-inline, which belongs beside this one: \(beside): \(error)\n")
    throw ExitCode.failure
  }
}
