import PureWebP

/// A line of `references/incremental.tsv`: the number of finished rows for each number of available bytes.
public struct IncrementalRows: TableLine {
  public let file: String
  private let options: WebP.DecodeOptions
  private let name: String
  /// The number of finished rows for each number of bytes, or nil if libwebp considers these bytes corrupt.
  private let finishedRows: [Int?]

  public init(_ fields: [String]) {
    file = fields[0]
    options = WebP.DecodeOptions(layout: fields[1], words: fields[2])
    name = "\(fields[1]) \(fields[2])"
    finishedRows = answers(inRuns: fields[3...]).map { Int($0) }
  }

  /// Returns the lengths at which PureWebP's number of rows differs, or its pixels differ from the complete image.
  public func differences(of file: [UInt8]) -> [String] {
    guard let whole = try? WebP.decode(file, options: options) else { return ["\(name): an error"] }
    var found: [String] = []
    for (length, expected) in finishedRows.enumerated() {
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
        found.append("\(name), \(length) bytes: the \(rows) rows differ from the complete image")
      }
    }
    return found
  }
}

extension WebP.Image {
  /// Returns true if the first rows of all planes are equal. If the image is flipped, compares the last rows.
  fileprivate func hasSameRows(_ count: Int, as other: WebP.Image, isFlipped: Bool) -> Bool {
    layout.planes.allSatisfy { plane in
      // Chroma has half of the rows. Its last row is compared only if the image is complete.
      let rows = plane.rows == height ? count : count == height ? plane.rows : count / 2
      let first = isFlipped ? plane.rows - rows : 0
      let bytes = plane.offset + first * plane.stride..<plane.offset + (first + rows) * plane.stride
      return pixels[bytes] == other.pixels[bytes]
    }
  }
}
