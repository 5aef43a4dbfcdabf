import CommandSystem

/// The program answers to more than one name: by that of a tool of libwebp it does as that tool does.
@main
enum Program {
  static func main() {
    FileDescriptor.keepClosedStreamsClosed()
    let arguments = commandLineWords
    let name = arguments.first.map { String($0.lastPathComponent) } ?? ""
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
  private static func become(_ tool: ([String]) throws(SystemError) -> Int32, _ words: [String]) -> Never {
    do throws(SystemError) { exitProcess(try tool(words)) } catch { Failure(writing: "-", error).endProgram() }
  }
}
