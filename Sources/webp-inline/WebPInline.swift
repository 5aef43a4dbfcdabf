import ArgumentParser
import Foundation
import PureWebP
import WebPLoading

/// `webp inline`. A program of its own, since it needs Foundation, which takes longer to load than an icon takes to
/// decode.
@main
struct WebPInline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webp inline",
    abstract: "Writes a page with its WebP images as PNGs within it.",
    discussion: """
      Images are looked for in img, picture, srcset, style sheets, style attributes and wherever else HTML has them. Those
      that cannot be loaded stay as they are, and are told.

      EXAMPLES
        webp inline page.html -o inlined.html
        webp inline https://example.org/ -o saved.html
        webp inline - --base https://example.org/ -o - < page.html > inlined.html
      """)

  @Argument(help: ArgumentHelp("The page: a file, an http or https URL, or - for standard input.", valueName: "page"))
  var page: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where to write; - is standard output.", valueName: "out"), completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Where the page is, if not where it is read from.", valueName: "url"))
  var base: String?

  @Flag(name: .shortAndLong, help: "Tell nothing of images that stay.")
  var quiet = false

  func run() async throws {
    var source = URL(webOrFile: page)
    let html: Data
    do {
      if page == "-" {
        html = FileHandle.standardInput.readDataToEndOfFile()
      } else {
        (html, source) = try await WebP.HTMLInliner.contents(of: source)
      }
    } catch {
      throw report("\(page): \(error.localizedDescription)")
    }
    let result = await WebP.HTMLInliner().inline(html, at: base.map { URL(webOrFile: $0) } ?? source)
    if !quiet {
      for (url, error) in result.failures.sorted(by: { $0.key.absoluteString < $1.key.absoluteString }) {
        _ = report("\(url.absoluteString.prefix(200)): \(error.localizedDescription)")
      }
    }
    do {
      if output == "-" {
        FileHandle.standardOutput.write(result.html)
      } else {
        try result.html.write(to: URL(fileURLWithPath: output), options: .atomic)
      }
    } catch {
      throw report("\(output): \(error.localizedDescription)")
    }
  }

  private func report(_ text: String) -> ExitCode {
    FileHandle.standardError.write(Data("webp: \(text)\n".utf8))
    return .failure
  }
}

extension URL {
  fileprivate init(webOrFile text: String) {
    let scheme = URL(string: text)?.scheme?.lowercased()
    self = scheme == "http" || scheme == "https" ? URL(string: text)! : URL(fileURLWithPath: text == "-" ? "." : text)
  }
}
