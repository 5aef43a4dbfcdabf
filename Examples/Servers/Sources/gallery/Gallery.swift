import ArgumentParser
import Foundation

/// A server for a gallery of WebP images, and a client without WebP support.
@main
struct Gallery: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves a folder of WebP images, and loads them as PNG in a client without WebP support.",
    subcommands: [Demo.self, Serve.self, Load.self], defaultSubcommand: Demo.self)

  /// The images of the package.
  static let pictures = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Benchmarks/Small")
    .standardizedFileURL
}

extension Gallery {
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves a folder until it is interrupted.")

    @Argument(help: "The folder.") var folder: String = Gallery.pictures.path
    @Option(help: "The port on this machine. 0: any free port.") var port = 8080

    func run() async throws {
      try await GalleryServer(URL(fileURLWithPath: folder)).run(port: port) { port in
        print("http://127.0.0.1:\(port)/ (end with Control-C)")
      }
    }
  }

  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Loads all images of a gallery, and prints how each arrived.")

    @Argument(help: "The gallery's address.") var address: String
    @Option(name: .shortAndLong, help: "The folder for the PNG files.") var output: String?

    func run() async throws {
      guard let url = URL(string: address) else { throw ValidationError("invalid URL: \(address)") }
      try await GalleryClient(url, output: output.map { URL(fileURLWithPath: $0) }).run()
    }
  }

  struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves a folder, loads its images, and ends.")

    @Argument(help: "The folder.") var folder: String = Gallery.pictures.path
    @Option(name: .shortAndLong, help: "The folder for the PNG files.") var output: String?

    func run() async throws {
      let (ports, port) = AsyncStream<Int>.makeStream()
      let server = Task { try await GalleryServer(URL(fileURLWithPath: folder)).run(port: 0) { port.yield($0) } }
      defer { server.cancel() }
      for await number in ports {
        let url = URL(string: "http://127.0.0.1:\(number)/")!
        try await GalleryClient(url, output: output.map { URL(fileURLWithPath: $0) }).run()
        break
      }
    }
  }
}
