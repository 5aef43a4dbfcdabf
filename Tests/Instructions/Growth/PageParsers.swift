import Foundation
import PureWebP

#if DEBUG
  @testable import WebPLoading
  @testable import WebPPages
#else
  import WebPLoading
  import WebPPages
#endif

// Pages, style sheets and headers.

/// Rewrites pages. `sheet` has the text of each style sheet by its name.
private func page(
  _ name: String, _ count: Int = 50, sheet: @escaping @Sendable (String, Int) -> String = { _, _ in "" },
  _ html: @escaping (Int) -> String
) -> MeasuredParser {
  MeasuredParser("page: \(name)", count) { count in
    let page = Data(html(count).utf8)
    return {
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        let inliner = WebP.HTMLInliner { url in
          guard url.pathExtension == "css" else { throw URLError(.fileDoesNotExist) }
          return (Data(sheet(url.deletingPathExtension().lastPathComponent, count).utf8), url)
        }
        _ = await inliner.inline(page, at: URL(string: "http://site/")!)
        done.signal()
      }
      done.wait()
    }
  }
}

/// Rewrites pages that are a text, repeated.
private func page(_ text: String) -> MeasuredParser { page(text) { String(repeating: text, count: $0) } }

/// Rewrites a page that links to a sheet.
private func page(_ name: String, sheet: @escaping @Sendable (String, Int) -> String) -> MeasuredParser {
  page(name, sheet: sheet, { _ in "<link rel=stylesheet href=a.css>" })
}

private func sheet(_ text: String) -> MeasuredParser {
  page("sheet: \(text)") { "a{b:url(a.webp)}" + String(repeating: text, count: $1) }
}

var pageParsers: [MeasuredParser] {
  [
    "<", "<a b=\"", "<a b='c\"d", "<!--", "<!-- >", "<!-->-", "<script>", "<script><!--<script>--", "<title><", "<svg>",
    "<svg><title></svg>", "<style>a{", "<style>a{b:url(", "&#", "<img src=&amp;", "<a style='b:url(&quot;",
    "<img src=a.webp>",
    "<base href=b><img src=c.webp>", "<iframe srcdoc='&lt;img src=a.webp>'>", "<img src='data:image/webp;base64,AAAA'>",
    "<link rel=stylesheet href=a.css>", "<source type=image/webp srcset='a.webp 1x,'>", "</a", "</svg>", "<![CDATA[",
    "<?",
  ].map(page)
    + [
      "@import '", "@import 'a.css';", "url(", "url( ", "url('", "\\", "/*", "((", "a{b:image-set('", "\"", "<", "é",
      "url(a)",
      "image-set('a.webp' type('image/webp'))",
    ].map(sheet)
    + [
      page("attributes") { "<img" + (0..<$0).map { " a\($0)=1" }.joined() + ">" },
      page("srcset") { "<img srcset='" + String(repeating: "a.webp 1x,,,( ", count: $0) + "'>" },
      page("commas in srcset") { "<img srcset='a" + String(repeating: ",", count: $0) + "'>" },
      page("style attribute") { "<a style='" + String(repeating: "b:url(a.webp);", count: $0) + "'>" },
      page("relations") { "<link href=a.css rel='" + String(repeating: "stylesheet a ", count: $0) + "'>" },
      page("end tags") { String(repeating: "<svg>", count: $0) + String(repeating: "</svg>", count: $0) },
      page("different images") { (0..<$0).map { "<img src=\($0).webp>" }.joined() },
      page("a sheet with many imports") { name, count in
        name == "a" ? (0..<count).map { "@import '\($0).css';" }.joined() : "a{b:url(a.webp)}"
      },
    ]
}

#if DEBUG
  private func header(_ text: String, _ parse: @escaping (String) -> Void) -> MeasuredParser {
    MeasuredParser("header: \(text)", 500) { count in
      let header = String(repeating: text, count: count)
      return { parse(header) }
    }
  }

  var headerParsers: [MeasuredParser] {
    ["image/webp;q=1,", ",", ";", "é\u{301}", "a;q=", "\u{301}\u{323}"].map {
      header("Accept \($0)") { _ = WebP.acceptsWebP($0) }
    }
      + ["max-age=1,", ",", "\"", "=", "a=\"b\"", "é\u{301}"].map {
        header("Cache-Control \($0)") { _ = CacheControl($0) }
      }
      + [header("Vary a,") { _ = VaryHeader($0).isSupported }]
      + ["%41", "A=", "=", "#", " ", "é"].map { text in
        header("data URL \(text)") {
          if let url = URL(string: "data:;base64," + $0) { _ = try? Data(dataURL: url) }
        }
      }
  }
#else
  var headerParsers: [MeasuredParser] { [] }
#endif
