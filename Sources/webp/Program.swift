/// The program answers to more than one name: by that of a tool of libwebp it does as that tool does.
@main
enum Program {
  static func main() {
    let arguments = CommandLine.arguments
    var name = arguments.first.map { String($0.lastPathComponent) } ?? ""
    if name.hasSuffix(".exe") { name.removeLast(4) }
    let words = Array(arguments.dropFirst())
    switch name {
    case "dwebp": exitProcess(DWebP.run(words))
    case "anim_dump": exitProcess(AnimDump.run(words))
    case "webpinfo": exitProcess(WebPInfo.run(words))
    default: WebPCommand.main(withoutDWebPSpellings(words))
    }
  }
}
