// The chunks of one image in a file with frames (RFC 9649, sections 2.7.1.1 and 2.7.1.2):
//
//     [ALPH ·] VP8 · or VP8L · │ next: the first chunk of another kind, or a second chunk of the same kind

/// The chunks of an image, as far as they have arrived.
struct ImageChunks {
  struct Image {
    var bytes: Range<Int>
    let width: Int
    let height: Int
    var hasAlpha: Bool
    let isLossy: Bool

    /// Nil if the headers end before the size of the image.
    init?(bytes: Range<Int>, _ headers: ImageHeaderParser) {
      guard let size = headers.size else { return nil }
      self.bytes = bytes
      (width, height, hasAlpha) = (size.width, size.height, headers.hasAlpha)
      isLossy = headers.streamType == .vp8
    }

    mutating func prepend(_ alpha: Range<Int>) throws(FormatError) {
      guard alpha.lowerBound < bytes.lowerBound else {
        throw FormatError(.alphaAfterImage, chunk: .alph, offset: alpha.lowerBound)
      }
      bytes = alpha.lowerBound..<bytes.upperBound
      hasAlpha = true
    }
  }

  private(set) var alpha: Range<Int>?
  private(set) var image: Image?
  /// The offset of the first chunk that does not belong to the image.
  private(set) var next: Int
  /// Indicates that `next` is final, and that all bytes before it are available.
  private(set) var isComplete = false

  /// - Parameters:
  ///   - bytes: the complete input received so far.
  ///   - limit: the offset before which all chunks of the image start.
  ///   - end: the end of the file.
  init(
    _ bytes: Span<UInt8>, from start: Int, upTo limit: Int64, fileEnd end: Int64
  ) throws(FormatError) {
    next = start
    while Int64(next) < limit {
      guard let header = try ChunkHeader(bytes, at: next, fileEnd: end) else { return }
      let available = min(Int64(bytes.count), Int64(next) &+ header.paddedSize)
      let chunk = next..<Int(available)
      switch header.fourCC {
      case .alph where alpha == nil:
        alpha = chunk
      case .vp8L where alpha != nil:
        throw FormatError(.alphaBeforeLosslessImage, chunk: .vp8L, offset: next)
      case .vp8 where image == nil, .vp8L where image == nil:
        do {
          let headers = try ImageHeaderParser(bytes.extracting(chunk), need: .headers)
          image = Image(bytes: chunk, headers)
        } catch {
          let isCut = chunk.count < header.paddedSize
          guard isCut, error.kind == .truncated else { throw error.with(frame: nil, offset: next) }
        }
      default:
        isComplete = true
        return
      }
      guard chunk.count == header.paddedSize else { return }
      next = chunk.upperBound
    }
    isComplete = true
  }
}
