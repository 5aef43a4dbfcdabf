import ArgumentParser
import Hummingbird
import Logging

@main
struct ThumbnailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail-service",
    abstract: "Answers POST /thumbnail and GET /thumbnail?url=… with an upright PNG that fits 256 pixels.")

  @Option(help: "The port on this machine.") var port = 8080

  @Option(help: "A server from which GET loads images, such as https://images.example.org. Can be repeated.")
  var permit: [String] = []

  func run() async throws {
    var logger = Logger(label: "thumbnail-service")
    logger.logLevel = .warning
    let images = RemoteImages(origins: Set(permit), limits: ThumbnailService.limits)
    try await ThumbnailService(images: images).application(port: port, logger: logger).run()
  }
}
