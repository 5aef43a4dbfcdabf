import ArgumentParser
import CommandSystem
import SystemPackage

/// The program `webp`. If it is called by the name `dwebp`, it behaves like that program of libwebp.
@main
enum Program {
  static func main() {
    FileDescriptor.reserveClosedStreams()
    ProcessEnd.prepare()
    let arguments = commandLineWords
    let name = arguments.first.flatMap { FilePath(argument: $0).lastComponent?.string }
    let words = Array(arguments.dropFirst())
    if name == "dwebp" { DWebP.main(words) }
    // Links by the names of programs that are not imitated.
    if let name, CommandLineForms.synonyms[name] != nil { CommandLineForms.unknownCommand(name).endProgram() }
    runCommand(words)
  }

  private static func runCommand(_ words: [String]) {
    if let script = WebPCommand.requestedCompletionScript(words) {
      do { try printOutput(script) } catch { Failure(writing: "-", error).endProgram() }
      return
    }
    do {
      var command = try parse(words)
      try command.run()
    } catch let error as UsageError {
      error.endProgram()
    } catch {
      WebPCommand.end(with: error)
    }
  }

  private static func parse(_ words: [String]) throws -> any ParsableCommand {
    let words = try CommandLineForms.withSubcommand(words)
    try CommandLineForms.checkDashes(words)
    do {
      return try WebPCommand.command(of: words)
    } catch  where !WebPCommand.exitCode(for: error).isSuccess {
      throw CommandLineForms.encoderOption(in: words) ?? CommandLineForms.rootOption(in: words) ?? error
    }
  }
}
