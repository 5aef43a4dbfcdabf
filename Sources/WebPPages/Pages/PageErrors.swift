import Foundation

// The reasons why a reference in a page is not replaced.

extension URLError {
  static let noRoomInPage = URLError(
    .dataLengthExceedsMaximum, "the page's images and style sheets exceed maximumInlinedBytes")
  static let tooManyPixelsInPage = URLError(
    .dataLengthExceedsMaximum,
    "the page's images have more pixels than its bytes permit (limits.unrestrictedPixels, limits.maximumPixelsPerByte)")
  static let tooMuchWork = URLError(
    .dataLengthExceedsMaximum, "the page refers to more than maximumInlinedBytes permits to load, read and write")
  static let inLazyAttribute = URLError(
    .unsupportedURL,
    "a script of the page may show the image of a data-src, data-srcset or data-bg attribute "
      + "(replacesLazyAttributes)")
  static let notInUTF8 = URLError(.cannotDecodeContentData, "the style sheet is not in UTF-8")
  static let likeMarkup = URLError(
    .cannotDecodeContentData, "the style sheet contains < that cannot be escaped, such as <!-- or <length>")
  static let baseTooLong = URLError(.badURL, "the style sheet's URL exceeds 4096 bytes")
  static let fileOfThisMachine = URLError(
    .noPermissionsToReadFile, "only pages and style sheets in files can refer to files")
}
