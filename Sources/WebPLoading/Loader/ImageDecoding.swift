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
///
/// The orientation follows the pixels in a file. Until the file is complete, the image is decoded as it is stored.
struct ImageDecoding: Sendable {
  /// About the number of pixels that are decoded in one step. A load can be cancelled between two steps.
  private static let pixelLimit = 1 << 20

  private let options: WebP.DecodeOptions
  /// The header fields. Nil until they are available, and for other formats.
  private(set) var info: WebP.ImageInfo?
  /// Decodes files of other formats. Nil if the system has no such decoder.
  private let decodeOther: Raster.Decoder?
  private var headers = HeaderReading()
  private var decoder: Decoder?
  /// The memory of an image that views show while it is decoded.
  private var bitmaps = Bitmaps()
  /// The number of bytes that were passed to the decoder.
  private var decodedCount = 0
  /// Indicates whether the decoder stopped at the limit of a step.
  private var isPaused = false
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

  /// The placeholder of the image. Nil until the headers are available, or if the options are invalid for this image.
  var placeholder: (WebP.ImageLoader.Update, WebP.ImageInfo)? {
    guard let info, let size = try? options.outputSize(for: info) else { return nil }
    return (.placeholder(info, size: size), info)
  }

  /// Reads the headers.
  ///
  /// - Parameter bytes: all bytes so far.
  /// - Returns: the header fields, in the first call in which they are complete. Otherwise nil.
  mutating func readHeaders(_ bytes: Data) throws(WebP.DecodeError) -> WebP.ImageInfo? {
    try options.limits.check(bytes: bytes.count)
    do {
      guard decoder == nil, let info = try headers.info(bytes, isComplete: false) else { return nil }
      self.info = info
      decoder =
        info.isAnimated
        ? .animation(WebP.StreamingAnimation(options: options)) : .still(makeDecoder())
      return info
    } catch {
      guard error.kind == .notWebP, decodeOther != nil else { throw error }
      return nil
    }
  }

  /// Creates a decoder. Images for views have the rows that views need.
  private func makeDecoder() -> WebP.StreamingDecoder {
    let isDrawn = options.format == .bgraPremultiplied
    return WebP.StreamingDecoder(options: options, rowAlignment: isDrawn ? DrawablePixels.rowAlignment : 1)
  }

  /// Decodes the next step.
  ///
  /// - Parameters:
  ///   - bytes: all bytes so far.
  ///   - isComplete: whether no more bytes will arrive.
  /// - Returns: whether the available bytes have further steps.
  mutating func decodeStep(_ bytes: Data, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    guard decodedCount < bytes.count || isPaused, let current = decoder else { return false }
    let piece = bytes[decodedCount...]
    // Without this line, `decoder` and the local copy would share the pixels, and a change would copy them.
    decoder = nil
    switch consume current {
    case .still(var still):
      guard bitmaps.prepare(&still, isLast: isComplete) else {
        decoder = .still(still)
        return false
      }
      isPaused =
        try piece.isEmpty ? still.resume(pixelLimit: Self.pixelLimit) : still.append(piece, pixelLimit: Self.pixelLimit)
      decoder = .still(still)
    case .animation(var animation):
      // The frame of a complete file needs no second copy of the file.
      if !isComplete { try animation.append(piece) }
      decoder = try animation.nextFrame().map { .firstFrame($0.image) } ?? .animation(animation)
    case .firstFrame(let image): decoder = .firstFrame(image)
    }
    decodedCount = bytes.count
    return isPaused
  }

  /// The pixels for views, with the rows of the last result of `newRows`. They are not copied.
  mutating func deliverPixels() -> DrawablePixels? {
    partial.map { bitmaps.deliver($0.image, finishedRows: $0.finishedRows) }
  }

  /// Returns the image and the range of rows that were finished since the last result. Returns nil if these rows are
  /// less than a sixteenth of the image, because each result costs a copy of the pixels.
  mutating func newRows() -> (image: WebP.Image, rows: Range<Int>)? {
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

  /// Completes the image. The headers need not have been read before.
  ///
  /// - Parameter bytes: the complete file.
  /// - Throws: `WebP.DecodeError`, or `URLError` for a file of another format.
  mutating func finish(_ bytes: Data) throws -> DecodedFile {
    bitmaps = Bitmaps()
    var metadata = WebP.metadata(bytes, limits: options.limits)
    let info = try? WebP.info(bytes)
    do {
      let (image, animation) = try complete(bytes, isAnimated: info?.isAnimated == true)
      var unscaled = options
      unscaled.size = nil
      let size = try? info.map(unscaled.outputSize)
      return DecodedFile(
        image: image, animation: animation, metadata: metadata.describing(image.appliedOrientation),
        fullSize: size ?? WebP.Size(width: image.width, height: image.height))
    } catch {
      guard error.kind == .notWebP, let raster = try decodeOther?(bytes, options) else { throw error }
      metadata.icc = raster.profile
      let size = options.crop?.size ?? raster.fullSize ?? WebP.Size(width: raster.width, height: raster.height)
      return DecodedFile(image: try raster.image(options), animation: nil, metadata: metadata, fullSize: size)
    }
  }

  private mutating func complete(
    _ bytes: Data, isAnimated: Bool
  ) throws(WebP.DecodeError) -> (WebP.Image, WebP.Animation?) {
    switch decoder.take() {
    case .still(var still):
      try still.finish()
      if let image = still.image { return (image, nil) }
    case .firstFrame(let first): return try animation(bytes, first)
    case .animation, nil: if isAnimated { return try animation(bytes, nil) }
    }
    // The headers were not read.
    return (try WebP.decode(bytes, options: options), nil)
  }

  /// - Parameter first: the first frame, not oriented, if it was decoded before.
  private func animation(
    _ bytes: Data, _ first: WebP.Image?
  ) throws(WebP.DecodeError) -> (WebP.Image, WebP.Animation?) {
    let animation = try WebP.Animation(bytes, options: options)
    let rest = animation.frameCount > 1 ? animation : nil
    guard let first, animation.appliedOrientation == .up else { return (try animation.frame(at: 0).image, rest) }
    return (options.isUpright ? first.oriented(.up) : first, rest)
  }
}

/// The result of decoding a file.
struct DecodedFile {
  /// The image, or the first frame of an animation. It may have gaps between its rows.
  let image: WebP.Image
  /// The animation, if the file has more than one frame.
  let animation: WebP.Animation?
  /// The metadata of the image, without the orientation that was applied to it.
  let metadata: WebP.Metadata
  /// The size of the image if it were not scaled, in pixels.
  let fullSize: WebP.Size

  /// The factor by which the image was scaled.
  var density: Double {
    Double(max(image.width, image.height)) / Double(max(fullSize.width, fullSize.height))
  }
}
