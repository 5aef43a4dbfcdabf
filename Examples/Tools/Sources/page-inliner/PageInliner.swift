import Foundation
import PureWebP
import WebPPages

/// Writes a page with its WebP images as PNG images in it, for browsers and mail programs without WebP.
///
///     page-inliner PAGE OUTPUT [ROOT]
///
/// PAGE is a file, or an http or https URL. ROOT is the folder of the site: URLs that begin with / are relative to it.
@main
struct PageInliner {
  static func main() async throws {
    let words = CommandLine.arguments
    guard 3...4 ~= words.count else { return print("usage: page-inliner PAGE OUTPUT [ROOT]") }
    let isRemote = words[1].hasPrefix("http://") || words[1].hasPrefix("https://")
    let address = isRemote ? URL(string: words[1]) : URL(fileURLWithPath: words[1]).standardizedFileURL
    guard let address else { throw URLError(.badURL) }
    let (html, source) = try await WebP.HTMLInliner.contents(of: address)
    let site = try words.count == 4 ? Site(folder: words[3], page: source) : nil
    let result = await WebP.HTMLInliner(load: site?.load).inline(html, at: site?.page ?? source)
    try result.html.write(to: URL(fileURLWithPath: words[2]))
    for (url, error) in result.failures { print("\(url.absoluteString.prefix(200)): \(error.localizedDescription)") }
    // Each copy of an image increases the size of the page.
    for (url, count) in result.copies where count > 1 {
      print("\(url.absoluteString.prefix(200)): embedded \(count) times")
    }
  }
}

/// A folder that represents the root of a site. The paths of file URLs are relative to this folder.
struct Site {
  /// The path of the folder, without a slash at its end.
  let folder: String
  /// The URL of the page within the site.
  let page: URL

  /// Creates a site for a page that is in `folder` or a subfolder.
  init(folder: String, page: URL) throws {
    let path = URL(fileURLWithPath: folder).standardizedFileURL.path
    self.folder = path == "/" ? "" : path
    guard page.isFileURL, page.path.hasPrefix(self.folder + "/") else { throw URLError(.fileDoesNotExist) }
    self.page = URL(fileURLWithPath: String(page.path.dropFirst(self.folder.count)))
  }

  /// Loads a file of the site, or an http or https URL. A path such as `/../secret` does not leave the folder.
  func load(_ url: URL) async throws -> (data: Data, url: URL) {
    guard url.isFileURL else { return try await WebP.HTMLInliner.contents(of: url) }
    let file = URL(fileURLWithPath: folder + url.path).standardizedFileURL
    guard file.path.hasPrefix(folder + "/") else { throw URLError(.noPermissionsToReadFile) }
    let data = try await WebP.HTMLInliner.contents(of: file).data
    return (data, url)
  }
}
