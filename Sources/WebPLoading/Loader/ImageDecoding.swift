import Foundation
import PureWebP
import WebPExport

/// Decodes one image, or the first frame of an animation, from the bytes of a download.
///
///     headers ──▶ still ─────────────────────▶ complete        decoded piece by piece; finished rows are available
///        └──────▶ animation ──▶ first frame ─▶ complete        later frames are not decoded
///
/// A file of another format is decoded when it is complete, if the system has a decoder for it. The caller passes the
/// bytes to each method, because several decodings share them.
final class ImageDecoding {
  /// The maximum number of bytes that are decoded in one step. A load can be cancelled between two steps.
  private static let pieceLength = 1 << 16

  private let options: WebP.DecodeOptions
  /// Decodes files of other formats. Nil if the system has no such decoder.
  private let decodeOther: Raster.Decoder?
  private var headers = HeaderReading()
  private var decoder: Decoder?
  /// The number of bytes that were passed to the decoder.
  private var decodedCount = 0
  /// The number of finished rows that `newRows` has returned.
  private var reportedRows = 0

  private enum Decoder {
    case still(WebP.StreamingDecoder)
    case animation(WebP.StreamingAnimation)
    case firstFrame(WebP.Image)
  }

  init(options: WebP.DecodeOptions, decodeOther: Raster.Decoder? = Raster.systemDecoder) {
    self.options = options
    self.decodeOther = decodeOther
  }

  /// Reads the headers.
  ///
  /// - Parameter bytes: all bytes so far.
  /// - Returns: the header fields, in the first call in which they are complete. Otherwise nil.
  func readHeaders(_ bytes: Data) throws(WebP.DecodeError) -> WebP.ImageInfo? {
    try options.limits.check(bytes: bytes.count)
    do {
      guard decoder == nil, let info = try headers.info(bytes, isComplete: false) else { return nil }
      decoder =
        info.isAnimated
        ? .animation(WebP.StreamingAnimation(options: options)) : .still(WebP.StreamingDecoder(options: options))
      return info
    } catch {
      guard error.kind == .notWebP, decodeOther != nil else { throw error }
      return nil
    }
  }

  /// Decodes the next piece.
  ///
  /// - Parameter bytes: all bytes so far.
  /// - Returns: whether a piece was decoded, so that more may follow.
  func decodePiece(_ bytes: Data) throws(WebP.DecodeError) -> Bool {
    guard decodedCount < bytes.count, let current = decoder else { return false }
    let piece = bytes[decodedCount..<min(decodedCount + Self.pieceLength, bytes.count)]
    // Without this line, `decoder` and the local copy would share the pixels, and a change would copy them.
    decoder = nil
    switch consume current {
    case .still(var still):
      _ = try still.append(piece)
      decoder = .still(still)
    case .animation(var animation):
      try animation.append(piece)
      decoder = try animation.nextFrame().map { .firstFrame($0.image) } ?? .animation(animation)
    case .firstFrame(let image):
      decoder = .firstFrame(image)
      return false
    }
    decodedCount += piece.count
    return true
  }

  /// Returns the image and the range of rows that were finished since the last result. Returns nil if these rows are
  /// less than a sixteenth of the image, because each result costs a copy of the pixels.
  func newRows() -> (image: WebP.Image, rows: Range<Int>)? {
    guard let (image, finishedRows) = partial, finishedRows > reportedRows,
      (finishedRows - reportedRows) * 16 >= image.height
    else { return nil }
    let rows = reportedRows..<finishedRows
    reportedRows = finishedRows
    guard options.flipsVertically else { return (image, rows) }
    return (image, image.height - rows.upperBound..<image.height - rows.lowerBound)
  }

  /// The image so far, and the number of finished rows. They begin at the top, or at the bottom of an image that is
  /// flipped vertically.
  private var partial: (image: WebP.Image, finishedRows: Int)? {
    switch decoder {
    case .still(let still): still.image.map { ($0, still.finishedRows) }
    case .firstFrame(let image): (image, image.height)
    case .animation, nil: nil
    }
  }

  /// Completes the image.
  ///
  /// - Parameter bytes: the complete file.
  /// - Returns: the image, and the animation if the file has more than one frame.
  /// - Throws: `WebP.DecodeError`, or `URLError` for a file of another format.
  func finish(_ bytes: Data) throws -> (WebP.Image, WebP.Animation?) {
    switch decoder {
    case .still(var still):
      decoder = nil
      try still.finish()
      if let image = still.image { return (image, nil) }
    case .animation, .firstFrame:
      let first = partial?.image
      decoder = nil
      let animation = try WebP.Animation(bytes, options: options)
      let image = if let first { first } else { try animation.frame(at: 0).image }
      return (image, animation.frameCount > 1 ? animation : nil)
    case nil: break
    }
    // The file has another format or is too short for headers, or `HeaderReading` has made no attempt with the last
    // bytes.
    do {
      return (try WebP.decode(bytes, options: options), nil)
    } catch {
      guard error.kind == .notWebP, let raster = try decodeOther?(bytes, options.limits) else { throw error }
      return (try raster.image(options), nil)
    }
  }
}
