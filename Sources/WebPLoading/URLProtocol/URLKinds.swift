import Foundation

extension URL {
  /// Indicates whether the scheme is http or https.
  package var isHTTP: Bool { ["http", "https"].contains(scheme?.lowercased()) }

  /// Indicates whether the URL is a data URL (RFC 2397).
  var isData: Bool { scheme?.lowercased() == "data" }

  var hasWebPPath: Bool { pathExtension.lowercased() == "webp" }
  var hasOtherImagePath: Bool { ["jpg", "jpeg", "png", "gif"].contains(pathExtension.lowercased()) }

  /// Indicates whether the path ends in .webp, or the URL is a data URL of type image/webp.
  var looksLikeWebP: Bool { isData ? absoluteString.lowercased().hasPrefix("data:image/webp") : hasWebPPath }
}
