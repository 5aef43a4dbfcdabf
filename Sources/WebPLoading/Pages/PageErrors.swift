import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Why something stays as it is in a page, in words: without them, the description would be a number on Linux.

extension URLError {
  static func longerThan(_ maximumBytes: Int) -> URLError {
    URLError(.dataLengthExceedsMaximum, "it is longer than \(maximumBytes) bytes")
  }

  static let otherThanHTTP = URLError(.unsupportedURL, "it is not loaded by http or https")
  static let noRoomInPage = URLError(.dataLengthExceedsMaximum, "there is no room for it in the page")
  static let notInUTF8 = URLError(.cannotDecodeContentData, "the style sheet is not in UTF-8")
  static let fileOfThisMachine = URLError(.noPermissionsToReadFile, "no page from elsewhere gets at files")

  private init(_ code: Code, _ description: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
  }
}
