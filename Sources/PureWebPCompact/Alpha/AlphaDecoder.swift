// The alpha channel of lossy images (RFC 9649, section 2.7.1.2), decoded one pixel at a time.

internal import WebPFormat

/// Decodes the rows of an ALPH chunk, from top to bottom.
struct AlphaDecoder {
  private let width: Int
  /// The offset of the last row in the array of `decode`.
  private var last = 0
  private let filter: AlphaHeader.Filter
  /// The offset of the next row in the input, if alpha is not compressed.
  private var position: Int
  private let isCompressed: Bool
  private var lossless: LosslessDecoder

  /// Parses and checks the header of the chunk and the header of its stream.
  ///
  /// - Parameter payload: the range of the chunk's payload in `bytes`, which must be complete.
  init(
    _ bytes: Span<UInt8>, payload: Range<Int>, width: Int, height: Int
  ) throws(FormatError) {
    let header = try AlphaHeader(bytes, payload: payload)
    self.width = width
    filter = header.filter
    position = payload.lowerBound + 1
    isCompressed = header.isCompressed
    let stream = LosslessStream(start: position, end: payload.upperBound, isAlpha: true)
    lossless = LosslessDecoder(stream, width: width, height: height)
    if isCompressed {
      _ = try lossless.readHeader(bytes, isComplete: true)
    } else if payload.count - 1 < width * height {
      throw FormatError(.truncatedAlpha, chunk: .alph, offset: payload.upperBound, status: 1)
    }
  }

  /// Decodes the next rows, `width` bytes each.
  ///
  /// - Parameter alpha: the same array in each call. It begins with the row above, which is the last row of the
  ///   previous call. The decoded rows follow it.
  mutating func decode(
    _ rows: Range<Int>, _ bytes: Span<UInt8>, into alpha: inout ContiguousArray<UInt8>
  ) throws(FormatError) {
    alpha.move(width, from: last, to: 0)
    last = 0
    for y in rows {
      last += width
      if isCompressed {
        _ = try lossless.decodeRows(upTo: y + 1, bytes, isComplete: true)
        lossless.makeRow(y)
      }
      decodeRow(y, bytes, into: &alpha)
    }
  }

  private mutating func decodeRow(_ y: Int, _ bytes: Span<UInt8>, into alpha: inout ContiguousArray<UInt8>) {
    var alpha = alpha.mutableSpan
    let words = lossless.words
    // The first row is predicted from the left. In other rows, the first pixel is predicted from above.
    let filter = y == 0 && filter != .none ? .horizontal : filter
    var left = y == 0 ? 0 : alpha[last &- width]
    var corner = left
    for x in 0..<width {
      let coded =
        isCompressed ? UInt8(truncatingIfNeeded: words[lossless.row &+ x] &>> 8) : bytes[position &+ x]
      let above = alpha[last &- width &+ x]
      var prediction: UInt8 = 0
      switch filter {
      case .none: break
      case .horizontal: prediction = left
      case .vertical: prediction = above
      case .gradient: prediction = UInt8(truncatingIfNeeded: max(0, min(255, Int(left) &+ Int(above) &- Int(corner))))
      }
      left = coded &+ prediction
      corner = above
      alpha[last &+ x] = left
    }
    if !isCompressed { position += width }
  }
}
