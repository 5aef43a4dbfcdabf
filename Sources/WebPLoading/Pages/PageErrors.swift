import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Why something stays as it is in a page.

extension URLError {
  static let noRoomInPage = URLError(.dataLengthExceedsMaximum, "there is no room for it in the page")
  static let notInUTF8 = URLError(.cannotDecodeContentData, "the style sheet is not in UTF-8")
  static let likeMarkup = URLError(.cannotDecodeContentData, "in a page, the style sheet might be taken for HTML")
  static let baseTooLong = URLError(.badURL, "the style sheet's address is too long for others to start from it")
  static let fileOfThisMachine = URLError(.noPermissionsToReadFile, "no page from elsewhere gets at files")
}
