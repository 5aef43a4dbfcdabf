import ArgumentParser
import CommandSystem

struct WebPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webp",
    abstract: "Decodes WebP pictures.",
    discussion: """
      EXAMPLES
        webp decode picture.webp                 writes picture.png beside it
        webp decode picture.webp -o picture.bmp  the name tells the kind of file
        webp decode *.webp -o pngs/              many at once, into a folder
        webp decode - -o - < a.webp > a.png      from a pipe into a pipe
        webp info *.webp                         size, alpha, compression …
        webp view picture.webp                   in the terminal

      Called dwebp, webpinfo or anim_dump, through a link, it does as libwebp's tool:
        ln -s "$(command -v webp)" dwebp

      Completions for bash, zsh or fish are printed by:
        webp --generate-completion-script bash
      """,
    version: commandVersion,
    subcommands: [
      DecodeCommand.self, FramesCommand.self, InfoCommand.self, ExtractCommand.self, ViewCommand.self,
      InlineCommand.self,
    ])
}
