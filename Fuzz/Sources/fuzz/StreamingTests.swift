import PureWebP

/// Appends the file in pieces: what is shown on the way stays, and at the end there is what decoding at once makes.
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
        check(new.count == decoder.finishedRows - rows, "progress tells as many rows as are new")
        check((isFlipped ? height - new.upperBound : new.lowerBound) == rows, "progress tells the rows that are new")
        if early == nil, choices.oneIn(4), let image = decoder.image { early = (image, decoder.finishedRows) }
      }
      rows = decoder.finishedRows
    }
    try decoder.finish()
    check(decoder.isFinished, "all bytes make a picture or an error")
  } catch {
    failure = error
    check(error.rowsFinished == decoder.finishedRows || error.rowsFinished == 0, "an error tells the rows")
  }
  if let early, let image = decoder.image {
    check(early.image.hasSameRows(early.rows, as: image, options), "rows that were shown do not change")
  }

  let (whole, error) = image(file, options)
  if let info = try? WebP.info(file), info.isAnimated { return }
  if hasPartitionOutsideOfItsInterval(file) { return }
  if let whole {
    check(failure == nil, "in pieces as at once, but: \(failure!)")
    check(decoder.image == whole, "in pieces the same picture")
  } else if let error {
    // A file that is shorter than its headers say may still have all of its picture; and options that do not fit a picture
    // are told before it is known whether it will have bytes enough.
    let isChosen = error.kind == .truncated || (error.kind == .limitExceeded && failure?.kind == .invalidOptions)
    check(failure?.kind == error.kind || isChosen, "in pieces the same error: \(error), \(failure as Any)")
  }
}

extension Choices {
  /// Where a file of `count` bytes is cut.
  mutating func pieces(of count: Int) -> [Range<Int>] {
    // From 1 byte at a time to all at once.
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
  /// Whether the first rows of all planes, or the last ones of a flipped picture, are the same.
  fileprivate func hasSameRows(_ count: Int, as other: WebP.Image, _ options: WebP.DecodeOptions) -> Bool {
    layout.planes.allSatisfy { plane in
      // Of chroma, which has half the rows, a last single row counts only when the picture is whole.
      let rows = plane.rows == height ? count : count == height ? plane.rows : count / 2
      let first = options.flipsVertically ? plane.rows - rows : 0
      let bytes = plane.offset + first * plane.stride..<plane.offset + (first + rows) * plane.stride
      return pixels[bytes] == other.pixels[bytes]
    }
  }
}
