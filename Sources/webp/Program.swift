import CommandSystem
import SystemPackage

/// The program answers to more than one name: by that of a tool of libwebp it does as that tool does.
@main
enum Program {
  static func main() {
    FileDescriptor.reserveClosedStreams()
    let arguments = commandLineWords
    let name = arguments.first.flatMap { FilePath(argument: $0).lastComponent?.string }
    let words = Array(arguments.dropFirst())
    switch name {
    case "dwebp": become(DWebP.run, words)
    case "anim_dump": become(AnimDump.run, words)
    case "webpinfo": become(WebPInfo.run, words)
    default:
      do {
        var command = try WebPCommand.parseAsRoot(withoutDWebPSpellings(words))
        try command.run()
      } catch {
        WebPCommand.end(with: error)
      }
    }
  }

  /// - Parameter tool: returns its exit code, and throws if its words cannot be written.
  private static func become(_ tool: ([String]) throws -> Int32, _ words: [String]) -> Never {
    do { exitProcess(try tool(words)) } catch { Failure(writing: "-", error).endProgram() }
  }
}
