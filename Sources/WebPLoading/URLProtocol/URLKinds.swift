import Foundation

extension URL {
  /// Whether it is an address by http or https.
  package var isHTTP: Bool { ["http", "https"].contains(scheme?.lowercased()) }

  /// Whether all there is to load is in it (RFC 2397).
  var isData: Bool { scheme?.lowercased() == "data" }

  var hasWebPPath: Bool { pathExtension.lowercased() == "webp" }

  /// Whether the path ends in .webp, or it is a data URL of that type.
  var looksLikeWebP: Bool { isData ? absoluteString.lowercased().hasPrefix("data:image/webp") : hasWebPPath }
}
