import ConformanceGenerator
import PureWebP

/// Appends the file incrementally. Finished rows must not change, and the result must equal decoding in one call.
func testStreaming(_ file: [UInt8], _ choices: inout Choices) {
  let options = choices.options()
  var decoder = WebP.StreamingDecoder(options: options)
  var failure: WebP.DecodeError?
  var rows = 0
  var early: (image: WebP.Image, rows: Int)?
  do throws(WebP.DecodeError) {
    for piece in choices.pieces(of: file.count) {
      let progress = try decoder.append(file[piece])
      check(decoder.finishedRows >= rows, "finished rows stay finished")
      if case .rows(let new) = progress {
        let height = decoder.image?.height ?? 0
        let isFlipped = options.flipsVertically
        check(new.count == decoder.finishedRows - rows, "progress has the number of new rows")
        check((isFlipped ? height - new.upperBound : new.lowerBound) == rows, "progress has the new rows")
        if early == nil, choices.oneIn(4), let image = decoder.image { early = (image, decoder.finishedRows) }
      }
      rows = decoder.finishedRows
    }
    try decoder.finish()
    check(decoder.isFinished, "the decoder is finished, or an error was thrown")
  } catch {
    failure = error
    check(error.finishedRows == decoder.finishedRows || error.finishedRows == 0, "an error reports the finished rows")
  }
  if let early, let image = decoder.image {
    check(early.image.hasSameRows(early.rows, as: image, options), "finished rows do not change")
  }

  let (whole, error) = image(file, options)
  if let info = try? WebP.info(file), info.isAnimated { return }
  if hasPartitionOutsideOfItsInterval(file) { return }
  if let whole {
    check(failure == nil, "no error incrementally: \(failure!)")
    check(decoder.image == whole, "the same image incrementally")
  } else if let error {
    // Two kinds of errors may differ, because the checks have another order. A file that is shorter than its headers
    // specify may contain the complete image. Invalid options may be reported before a limit is exceeded.
    let isChosen = error.kind == .truncated || (error.kind == .limitExceeded && failure?.kind == .invalidOptions)
    check(failure?.kind == error.kind || isChosen, "the same error incrementally: \(error), \(failure as Any)")
  }
}

extension Choices {
  /// Returns the ranges in which a file of `count` bytes arrives.
  mutating func pieces(of count: Int) -> [Range<Int>] {
    // Ranges have at most `size` bytes, from single bytes to 8 KiB.
    let size = 1 << below(14)
    var pieces: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start + (size == 1 ? 1 : 1 + below(size)))
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }
}

extension WebP.Image {
  /// Returns true if the first rows of all planes are equal. If the image is flipped, compares the last rows.
  fileprivate func hasSameRows(_ count: Int, as other: WebP.Image, _ options: WebP.DecodeOptions) -> Bool {
    layout.planes.allSatisfy { plane in
      // Chroma has half of the rows. Its last row is compared only if the image is complete.
      let rows = plane.rows == height ? count : count == height ? plane.rows : count / 2
      let first = options.flipsVertically ? plane.rows - rows : 0
      let bytes = plane.offset + first * plane.stride..<plane.offset + (first + rows) * plane.stride
      return pixels[bytes] == other.pixels[bytes]
    }
  }
}
