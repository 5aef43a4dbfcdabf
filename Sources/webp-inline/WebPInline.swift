import ArgumentParser
import CommandSystem
import Foundation
import PureWebP
import SystemPackage
import WebPLoading

/// The subcommand `webp inline`. It is a separate program because it needs Foundation. Loading Foundation takes longer
/// than decoding an icon, which would delay all other subcommands.
@main
struct WebPInline: AsyncParsableCommand {
  private static let name = commandLineWords.first == inlineCommandName ? inlineCommandName : "webp-inline"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Writes a page with its WebP images as PNGs within it.",
    usage: "\(name) <page> --output <out> [--base <url>] [--root <folder>] [--quiet]",
    discussion: """
      The command replaces images in img, picture, srcset, input, video, object, embed, SVG, icons, style attributes, \
      style sheets and imported style sheets, and in pages in srcdoc. It does not replace images that scripts add, or \
      images of pages in frames.

      If an image or a style sheet cannot be loaded, its reference is kept, and a line is printed to standard error. If \
      images are embedded more than once, a line reports that too, because each copy increases the size of the page.

      If the page has a Content-Security-Policy, it must allow img-src data:. If style sheets have WebP images, it must \
      also allow style-src 'unsafe-inline' data:, because linked sheets become style elements and imported sheets \
      become data URLs.

      EXAMPLES
        \(name) page.html -o inlined.html
        \(name) public/en/page.html --root public -o inlined.html
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
    help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"), completion: .file())
  var output: String

  @Option(help: ArgumentHelp("The URL of the page, if it differs from where the page is read.", valueName: "url"))
  var base: String?

  @Option(
    help: ArgumentHelp("The folder of the site. URLs that begin with / are relative to it.", valueName: "folder"),
    completion: .directory)
  var root: String?

  @Flag(name: .shortAndLong, help: "Write no messages about images and style sheets.")
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
      let url = base.map { URL(webOrFile: $0) } ?? source
      let site = try root.map { (folder: String) throws(Failure) in try Site(folder: folder, page: url) }
      let result = await WebP.HTMLInliner(load: site?.load).inline(html, at: site?.page ?? url)
      if !quiet { report(result) }
      try writeOutput(output, ContiguousArray(result.html))
    } catch {
      printError("\(error)")
      throw ExitCode.failure
    }
  }

  private func report(_ result: WebP.HTMLInliner.Page) {
    for (url, error) in result.failures.sorted(by: { $0.key.absoluteString < $1.key.absoluteString }) {
      printError("\(Failure(url.shortText, error.localizedDescription))")
    }
    let repeated = result.copies.filter { $0.value > 1 }
    let most = repeated.max { ($0.value, $1.key.absoluteString) < ($1.value, $0.key.absoluteString) }
    guard let most else { return }
    let others = repeated.count == 1 ? "" : ", and \(repeated.count - 1) others repeatedly"
    printError("\(result.inlinedBytes) bytes are embedded: \(most.key.shortText) \(most.value) times\(others)")
  }

  /// Returns the bytes of the page, and its URL after redirects.
  private func html() async throws(Failure) -> (data: Data, url: URL) {
    guard let url = URL(web: page) else {
      return (Data(try readInput(page, limit: WebP.Limits().maximumBytes)), URL(webOrFile: page))
    }
    do { return try await WebP.HTMLInliner.contents(of: url) } catch { throw Failure(page, error.localizedDescription) }
  }
}

/// A folder that represents the root of a site. The paths of file URLs are relative to this folder.
private struct Site {
  /// The path of the folder, without a slash at its end.
  let folder: String
  /// The URL of the page within the site.
  let page: URL

  /// Creates a site for a page that is in `text` or a subfolder.
  init(folder text: String, page: URL) throws(Failure) {
    let path = URL(fileURLWithPath: text).standardizedFileURL.path
    folder = path == "/" ? "" : path
    let pagePath = page.standardizedFileURL.path
    guard page.isFileURL, pagePath.hasPrefix(folder + "/") else {
      throw Failure(text, "the page is not in this folder")
    }
    self.page = URL(fileURLWithPath: String(pagePath.dropFirst(folder.count)))
  }

  /// Loads a file of the site, or an http or https URL.
  func load(_ url: URL) async throws -> (data: Data, url: URL) {
    guard url.isFileURL else { return try await WebP.HTMLInliner.contents(of: url) }
    let file = URL(fileURLWithPath: folder + url.path).standardizedFileURL
    guard file.path.hasPrefix(folder + "/") else { throw URLError(.noPermissionsToReadFile) }
    return (try await WebP.HTMLInliner.contents(of: file).data, url)
  }
}

extension URL {
  fileprivate var shortText: String { String(absoluteString.prefix(200)) }

  fileprivate init?(web text: String) {
    guard var parts = URLComponents(string: text), parts.url?.isHTTP == true else { return nil }
    // Foundation on Linux does not recognize schemes in upper case.
    parts.scheme = parts.scheme?.lowercased()
    guard let url = parts.url else { return nil }
    self = url
  }

  fileprivate init(webOrFile text: String) {
    self = URL(web: text) ?? URL(fileURLWithPath: text == "-" ? "." : text.withoutStandIns)
  }
}
