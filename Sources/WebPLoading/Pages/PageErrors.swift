import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The reasons why a reference in a page is not replaced.

extension URLError {
  static let noRoomInPage = URLError(.dataLengthExceedsMaximum, "there is no room for it in the page")
  static let tooManyPixelsInPage = URLError(
    .dataLengthExceedsMaximum,
    "the page's images have more pixels than its bytes permit (limits.unrestrictedPixels, limits.maximumPixelsPerByte)")
  static let notInUTF8 = URLError(.cannotDecodeContentData, "the style sheet is not in UTF-8")
  static let likeMarkup = URLError(.cannotDecodeContentData, "in a page, the style sheet might be taken for HTML")
  static let baseTooLong = URLError(.badURL, "the style sheet's address is too long for others to start from it")
  static let fileOfThisMachine = URLError(.noPermissionsToReadFile, "no page from elsewhere gets at files")
}
