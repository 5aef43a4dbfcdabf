internal import WebPFormat

/// Decodes a VP8L image (RFC 9649, section 3): the rows that the available bytes allow. Passes them to OutputWriter.
struct LosslessImageDecoder {
  private var decoder: LosslessDecoder
  /// The end of the bitstream's chunk.
  private let end: Int
  /// The number of bytes that must be available before the header of the stream is parsed: an eighth of the stream, as
  /// in libwebp. Each further attempt waits for a quarter more, or for the complete stream, so that a header that
  /// arrives slowly is parsed only a few times.
  private var headerAttempt: Int

  init(_ header: LosslessHeader, _ headers: ImageHeaderParser) {
    let start = headers.streamOffset + LosslessHeader.byteCount
    decoder = LosslessDecoder(
      LosslessStream(start: start, end: nil, isAlpha: false), width: header.width, height: header.height)
    end = headers.streamEnd
    // A shift: without a C library, 32-bit processors have no division of 64-bit numbers.
    headerAttempt = headers.streamOffset + Int(clamping: headers.streamSize >> 3)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(FormatError) {
    guard isComplete || bytes.count >= headerAttempt else { return }
    guard try decoder.readHeader(bytes, isComplete: isComplete) else {
      headerAttempt = bytes.count + bytes.count / 4
      if bytes.count < end { headerAttempt = min(headerAttempt, end) }
      return
    }
    while !output.isPaused {
      let together = output.finishedRows..<min(output.finishedRows + LosslessDecoder.rowsTogether, output.height)
      guard try decoder.decodeRows(upTo: together.upperBound, bytes, isComplete: isComplete) else { return }
      for row in together {
        decoder.makeRow(row)
        pixels.copyPixels(output.width, from: decoder.words.span, at: decoder.row, to: output.offset(ofRow: row))
      }
      output.finish(rows: together)
    }
  }
}
