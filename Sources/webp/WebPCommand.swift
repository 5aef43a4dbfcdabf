import ArgumentParser
import PureWebP
import WebPExport

@main
struct WebPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "webp", abstract: "Decodes WebP pictures.")
}
