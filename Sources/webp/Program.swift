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
    case "dwebp": exitProcess(DWebP.run(words))
    case "anim_dump": exitProcess(AnimDump.run(words))
    case "webpinfo": exitProcess(WebPInfo.run(words))
    default: WebPCommand.main(withoutDWebPSpellings(words))
    }
  }
}
