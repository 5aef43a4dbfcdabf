import ArgumentParser
import Hummingbird
import Logging

@main
struct ThumbnailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail-service", abstract: "Answers POST /thumbnail with an upright PNG that fits 256 pixels.")

  @Option(help: "The port on this machine.") var port = 8080

  func run() async throws {
    var logger = Logger(label: "thumbnail-service")
    logger.logLevel = .warning
    try await ThumbnailService().application(port: port, logger: logger).run()
  }
}
