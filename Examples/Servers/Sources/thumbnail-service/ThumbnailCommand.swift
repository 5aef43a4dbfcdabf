import ArgumentParser
import Foundation
import Hummingbird
import Logging

@main
struct ThumbnailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnail-service",
    abstract: "Answers POST /thumbnail and GET /thumbnail?url=… with an upright PNG that fits 256 pixels.")

  @Option(help: "The port on this machine. 0: any free port.") var port = 8080

  @Option(help: "A server from which GET loads images, such as https://images.example.org. Can be repeated.")
  var permit: [String] = []

  func run() async throws {
    var logger = Logger(label: "thumbnail-service")
    logger.logLevel = .warning
    let images = RemoteImages(origins: Set(permit), limits: ThumbnailService.limits)
    let application = ThumbnailService(images: images).application(port: port, logger: logger) { port in
      FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\n".utf8))
    }
    // After SIGTERM or SIGINT, the requests in work are answered, and the process ends with status 0.
    try await application.runService()
  }
}
