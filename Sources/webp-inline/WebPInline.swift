import ArgumentParser
import CommandSystem
import Foundation
import PureWebP
import SystemPackage
import WebPLoading

/// `webp inline`. A program of its own, since it needs Foundation, which takes longer to load than an icon takes to
/// decode.
@main
struct WebPInline: AsyncParsableCommand {
  private static let name = commandLineWords.first == inlineCommandName ? inlineCommandName : "webp-inline"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Writes a page with its WebP images as PNGs within it.",
    usage: "\(name) <page> --output <out> [--base <url>] [--quiet]",
    discussion: """
      Images are looked for in img, picture, srcset, style sheets, style attributes and wherever else HTML has them. Those \
      that cannot be loaded stay as they are, and are told. A Content-Security-Policy of the page's has to allow img-src \
      data:, and style-src 'unsafe-inline' where linked style sheets name WebPs: these become style elements.

      EXAMPLES
        \(name) page.html -o inlined.html
        \(name) https://example.org/ -o saved.html
        \(name) - --base https://example.org/ -o - < page.html > inlined.html
      """,
    version: commandVersion)

  @Argument(
    help: ArgumentHelp("The page: a file, an http or https URL, or - for standard input.", valueName: "page"),
    completion: .file())
  var page: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where to write; - is standard output.", valueName: "out"), completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Where the page is, if not where it is read from.", valueName: "url"))
  var base: String?

  @Flag(name: .shortAndLong, help: "Tell nothing of images that stay.")
  var quiet = false

  static func main() async {
    FileDescriptor.reserveClosedStreams()
    do {
      try await parse(Array(commandLineWords.dropFirst())).run()
    } catch {
      end(with: error)
    }
  }

  func run() async throws {
    do throws(Failure) {
      let (html, source) = try await html()
      let result = await WebP.HTMLInliner().inline(html, at: base.map { URL(webOrFile: $0) } ?? source)
      if !quiet {
        for (url, error) in result.failures.sorted(by: { $0.key.absoluteString < $1.key.absoluteString }) {
          printError("\(Failure(String(url.absoluteString.prefix(200)), error.localizedDescription))")
        }
      }
      try writeOutput(output, ContiguousArray(result.html))
    } catch {
      printError("\(error)")
      throw ExitCode.failure
    }
  }

  /// The page, and where it came from in the end.
  private func html() async throws(Failure) -> (data: Data, url: URL) {
    guard let url = URL(web: page) else {
      return (Data(try readInput(page, limit: WebP.Limits().maximumBytes)), URL(webOrFile: page))
    }
    do { return try await WebP.HTMLInliner.contents(of: url) } catch { throw Failure(page, error.localizedDescription) }
  }
}

extension URL {
  fileprivate init?(web text: String) {
    guard var parts = URLComponents(string: text), parts.url?.isHTTP == true else { return nil }
    // What loads it on Linux knows schemes in small letters alone.
    parts.scheme = parts.scheme?.lowercased()
    guard let url = parts.url else { return nil }
    self = url
  }

  fileprivate init(webOrFile text: String) {
    self = URL(web: text) ?? URL(fileURLWithPath: text == "-" ? "." : text.withoutStandIns)
  }
}
