import ArgumentParser
import Foundation

/// A gallery's server, and a client that knows nothing of WebP.
@main
struct Gallery: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves a folder of WebP pictures, and loads them as PNG where WebP is not known.",
    subcommands: [Demo.self, Serve.self, Load.self], defaultSubcommand: Demo.self)

  /// The pictures that come with the package.
  static let pictures = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Benchmarks/Small")
    .standardizedFileURL
}

extension Gallery {
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves a folder until it is interrupted.")

    @Argument(help: "The folder.") var folder: String = Gallery.pictures.path
    @Option(help: "The port on this machine; 0: any.") var port = 8080

    func run() async throws {
      try await GalleryServer(URL(fileURLWithPath: folder)).run(port: port) { port in
        print("http://127.0.0.1:\(port)/ (end with Control-C)")
      }
    }
  }

  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Loads all pictures of a gallery, and tells how they came.")

    @Argument(help: "The gallery's address.") var address: String
    @Option(name: .shortAndLong, help: "Where to write the PNGs.") var output: String?

    func run() async throws {
      guard let url = URL(string: address) else { throw ValidationError("no URL: \(address)") }
      try await GalleryClient(url, output: output.map { URL(fileURLWithPath: $0) }).run()
    }
  }

  struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves a folder, loads it, and ends.")

    @Argument(help: "The folder.") var folder: String = Gallery.pictures.path
    @Option(name: .shortAndLong, help: "Where to write the PNGs.") var output: String?

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
