import Foundation
import PureWebP

/// The picture of one load, as far as its bytes have come; of an animation, the first frame.
///
///     headers ──▶ still ─────────────────────▶ whole        a piece at a time, its rows as they are finished
///        └──────▶ animation ──▶ first frame ─▶ whole        what follows the first frame is not decoded
struct PictureDecoding {
  /// What is decoded at once, so that it can be left off in between.
  private static let pieceLength = 1 << 16

  /// All so far.
  private(set) var bytes = Data()
  private let options: WebP.DecodeOptions
  private var headers = HeaderReading()
  private var decoder: Decoder?
  /// How many bytes the decoder has.
  private var decodedCount = 0

  private enum Decoder {
    case still(WebP.StreamingDecoder)
    case animation(WebP.StreamingAnimation)
    case firstFrame(WebP.Image)
  }

  init(options: WebP.DecodeOptions) {
    self.options = options
  }

  /// Takes the next bytes, which are to be decoded after that.
  ///
  /// - Returns: what the headers say, once: when they are there.
  mutating func append(_ data: Data) throws(WebP.DecodeError) -> WebP.ImageInfo? {
    bytes.append(data)
    try options.limits.check(bytes: bytes.count)
    guard decoder == nil, let info = try headers.info(bytes, isComplete: false) else { return nil }
    decoder =
      info.isAnimated
      ? .animation(WebP.StreamingAnimation(options: options)) : .still(WebP.StreamingDecoder(options: options))
    return info
  }

  /// Decodes one piece of the bytes that are there.
  ///
  /// - Returns: whether there may be more to decode.
  mutating func decodePiece() throws(WebP.DecodeError) -> Bool {
    guard decodedCount < bytes.count, let current = decoder else { return false }
    let piece = bytes[decodedCount..<min(decodedCount + Self.pieceLength, bytes.count)]
    // While it is changed, the decoder must have one owner alone, or its pixels are copied.
    decoder = nil
    switch consume current {
    case .still(var still):
      _ = try still.append(piece)
      decoder = .still(still)
    case .animation(var animation):
      animation.append(piece)
      decoder = try animation.nextFrame().map { .firstFrame($0.image) } ?? .animation(animation)
    case .firstFrame(let image):
      decoder = .firstFrame(image)
      return false
    }
    decodedCount += piece.count
    return true
  }

  /// How many rows are finished, from the top; where the picture is flipped, from the bottom.
  var finishedRows: Int {
    switch decoder {
    case .still(let still): still.finishedRows
    case .firstFrame(let image): image.height
    case .animation, nil: 0
    }
  }

  /// The picture with these rows.
  var image: WebP.Image? {
    switch decoder {
    case .still(let still): still.image
    case .firstFrame(let image): image
    case .animation, nil: nil
    }
  }

  /// What the bytes are, now that there are no more; with the animation, if it has more than one frame.
  mutating func finish() throws(WebP.DecodeError) -> (WebP.Image, WebP.Animation?) {
    switch decoder {
    case .still(var still):
      decoder = nil
      try still.finish()
      if let image = still.image { return (image, nil) }
    case .animation, .firstFrame:
      let first = image
      decoder = nil
      let animation = try WebP.Animation(bytes, options: options)
      let image = if let first { first } else { try animation.frame(at: 0).image }
      return (image, animation.frameCount > 1 ? animation : nil)
    case nil: break
    }
    // Too short to have a header, which this says, or so short that it was not worth another look before the end.
    return (try WebP.decode(bytes, options: options), nil)
  }
}
