import Foundation
import PureWebP

// Headers and data URLs. Their parsers are internal, so release builds have none of these rows.

#if DEBUG
  @testable import WebPLoading

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
