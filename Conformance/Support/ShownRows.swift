import PureWebP

/// A line of `references/incremental.tsv`: how many rows there are of a vector whose first bytes have come.
public struct ShownRows: TableLine {
  public let file: String
  private let options: WebP.DecodeOptions
  private let name: String
  /// Nil where libwebp takes the beginning for damaged.
  private let rowsShown: [Int?]

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: fields[2])
    name = "\(fields[1]) \(fields[2])"
    rowsShown = answers(inRuns: fields[3...]).map { Int($0) }
  }

  /// The lengths at which PureWebP shows other rows, or other pixels in them than those of the whole picture.
  public func differences(of file: [UInt8]) -> [String] {
    guard let whole = try? WebP.decode(file, options: options) else { return ["\(name): an error"] }
    var found: [String] = []
    for (length, expected) in rowsShown.enumerated() {
      var decoder = WebP.StreamingDecoder(options: options)
      do {
        _ = try decoder.append(file[..<length])
      } catch {
        found.append("\(name), \(length) bytes: \(error)")
      }
      let rows = decoder.finishedRows
      if let expected, rows != expected {
        found.append("\(name), \(length) bytes: \(rows) rows instead of \(expected)")
      }
      if let image = decoder.image, !image.hasSameRows(rows, as: whole, isFlipped: options.flipsVertically) {
        found.append("\(name), \(length) bytes: the \(rows) rows are not those of the picture")
      }
    }
    return found
  }
}

extension WebP.Image {
  /// Whether the first rows of all planes, or the last ones of a flipped picture, are the same.
  fileprivate func hasSameRows(_ count: Int, as other: WebP.Image, isFlipped: Bool) -> Bool {
    layout.planes.allSatisfy { plane in
      // Of chroma, which has half the rows, a last single row counts only when the picture is whole.
      let rows = plane.rows == height ? count : count == height ? plane.rows : count / 2
      let first = isFlipped ? plane.rows - rows : 0
      let bytes = plane.offset + first * plane.stride..<plane.offset + (first + rows) * plane.stride
      return pixels[bytes] == other.pixels[bytes]
    }
  }
}
