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
/// The orientation follows the pixels in a file. Until the file is complete, the image is decoded as it is stored. If
/// the size of the options then turns out to be meant for the other direction, the image is decoded again.
struct ImageDecoding: Sendable {
  /// The maximum number of bytes that are decoded in one step. A load can be cancelled between two steps.
  private static let pieceLength = 1 << 16

  /// The options for the image as it is stored.
  private var options: WebP.DecodeOptions
  private let isUpright: Bool
  /// The metadata of the file. Nil until it is complete.
  private var metadata: WebP.Metadata?
  /// The orientation that is applied to the complete image. Nil until the file is complete, and if the image is not
  /// oriented.
  private var orientation: WebP.Orientation?
  /// The header fields. Nil until they are available, and for other formats.
  private(set) var info: WebP.ImageInfo?
  /// The size of an image of another format after the crop, in pixels.
  private var rasterSize: WebP.Size?
  /// The profile of an image of another format.
  private var rasterProfile: [UInt8]?
  /// Decodes files of other formats. Nil if the system has no such decoder.
  private let decodeOther: Raster.Decoder?
  private var headers = HeaderReading()
  private var decoder: Decoder?
  /// The memory of an image that views show while it is decoded.
  private var bitmaps = Bitmaps()
  /// The number of bytes that were passed to the decoder.
  private var decodedCount = 0
  /// The number of finished rows that `newRows` has returned.
  private var reportedRows = 0

  private enum Decoder {
    case still(WebP.StreamingDecoder)
    case animation(WebP.StreamingAnimation)
    case firstFrame(WebP.Image)
  }

  /// Creates a decoding.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - file: the complete file, if it is available.
  init(
    options: WebP.DecodeOptions, file: Data? = nil, decodeOther: Raster.Decoder? = Raster.systemDecoder
  ) {
    self.options = options
    isUpright = options.isUpright
    self.options.isUpright = false
    self.decodeOther = decodeOther
    if isUpright, let file {
      let metadata = WebP.metadata(file, limits: options.limits)
      self.metadata = metadata
      orientation = metadata.orientation ?? .up
    }
    if orientation?.swapsWidthAndHeight == true { self.options.size = options.size?.transposed }
  }

  /// The placeholder of the image. Nil until the headers are available, or if the options are invalid for this image.
  var placeholder: (WebP.ImageLoader.Update, WebP.ImageInfo)? {
    guard let info, let outputSize else { return nil }
    return (.placeholder(info, size: outputSize), info)
  }

  /// The size of the complete image, in pixels. While its orientation is not known, its size as it is stored.
  private var outputSize: WebP.Size? {
    guard let info else { return nil }
    return try? options.outputSize(for: info).oriented(orientation ?? .up)
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

  /// Decodes the next piece.
  ///
  /// - Parameters:
  ///   - bytes: all bytes so far.
  ///   - isComplete: whether no more bytes will arrive.
  /// - Returns: whether a piece was decoded, so that more may follow.
  mutating func decodePiece(_ bytes: Data, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    guard decodedCount < bytes.count, let current = decoder else { return false }
    let piece = bytes[decodedCount..<min(decodedCount + Self.pieceLength, bytes.count)]
    // Without this line, `decoder` and the local copy would share the pixels, and a change would copy them.
    decoder = nil
    switch consume current {
    case .still(var still):
      guard bitmaps.prepare(&still, isLast: isComplete) else {
        decoder = .still(still)
        return false
      }
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
    if info == nil { info = try? WebP.info(bytes) }
    let metadata = metadata ?? WebP.metadata(bytes, limits: options.limits)
    if isUpright, orientation == nil {
      orientation = metadata.orientation ?? .up
      if orientation?.swapsWidthAndHeight == true { swapSize() }
    }
    let (image, animation) = try stored(bytes)
    let size = fullSize ?? WebP.Size(width: image.width, height: image.height)
    var described = metadata.describing(orientation)
    described.icc = rasterProfile ?? described.icc
    return DecodedFile(
      image: orientation.map(image.oriented) ?? image, animation: animation, orientation: orientation,
      metadata: described, fullSize: size.oriented(orientation ?? .up))
  }

  /// Swaps width and height in the options. If this changes the image, it is decoded again.
  private mutating func swapSize() {
    let before = outputSize
    options.size = options.size?.transposed
    if let before, outputSize != before { decoder = nil }
  }

  /// The size of the stored image without scaling.
  private var fullSize: WebP.Size? {
    guard let info else { return rasterSize }
    var options = options
    options.size = nil
    return try? options.outputSize(for: info)
  }

  /// Completes the image as it is stored.
  private mutating func stored(_ bytes: Data) throws -> (WebP.Image, WebP.Animation?) {
    switch decoder {
    case .still(var still):
      decoder = nil
      try still.finish()
      if let image = still.image { return (image, nil) }
    case .animation, .firstFrame:
      let first = partial?.image
      decoder = nil
      return try animation(bytes, first)
    case nil: if info?.isAnimated == true { return try animation(bytes, nil) }
    }
    // The file has another format, or the headers were not read, or the image is decoded again.
    do {
      return (try WebP.decode(bytes, options: options), nil)
    } catch {
      guard error.kind == .notWebP, let raster = try decodeOther?(bytes, options) else { throw error }
      let size = options.crop?.size ?? raster.fullSize
      (rasterSize, rasterProfile) = (size ?? WebP.Size(width: raster.width, height: raster.height), raster.profile)
      return (try raster.image(options), nil)
    }
  }

  private mutating func animation(_ bytes: Data, _ first: WebP.Image?) throws -> (WebP.Image, WebP.Animation?) {
    let animation = try WebP.Animation(bytes, options: options)
    let image = if let first { first } else { try animation.frame(at: 0).image }
    return (image, animation.frameCount > 1 ? animation : nil)
  }
}

/// The result of decoding a file.
struct DecodedFile {
  /// The image, or the first frame of an animation, oriented. It may have gaps between its rows.
  let image: WebP.Image
  /// The animation, if the file has more than one frame. Its frames are not oriented.
  let animation: WebP.Animation?
  /// The orientation that was applied to the image, and that the frames need. Nil if the image is not oriented.
  let orientation: WebP.Orientation?
  /// The metadata of the oriented image.
  let metadata: WebP.Metadata
  /// The size of the oriented image if it were not scaled, in pixels.
  let fullSize: WebP.Size

  /// The factor by which the image was scaled.
  var density: Double {
    Double(max(image.width, image.height)) / Double(max(fullSize.width, fullSize.height))
  }
}
