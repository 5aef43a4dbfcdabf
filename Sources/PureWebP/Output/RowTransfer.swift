internal import WebPFormat

/// Decodes an image for a collection that does not give access to its storage: into memory for some rows, which are
/// copied to the collection before the next rows replace them. Memory for all rows would be slower, because each first
/// write to a page takes time.
@usableFromInline
struct RowTransfer {
  /// The positions of the rows in the collection.
  @usableFromInline let layout: WebP.Layout
  /// Decoded rows. Row n is at position n modulo the number of rows. An animation, a rotated image and a planar format
  /// have all rows.
  @usableFromInline private(set) var pixels: ContiguousArray<UInt8>
  private let source: WebP.Layout
  /// Nil if all rows are finished.
  private let decoder: ImageDecoder?
  private let isFlipped: Bool
  private var finishedRows: Int
  /// The next row to copy.
  private var next = (plane: 0, row: 0)
  /// The error after the finished rows.
  private var failure: WebP.DecodeError?

  /// The minimum number of rows that are decoded before they are copied. Few, so that they stay in the cache.
  private static let stripRows = 32

  @usableFromInline
  init(_ bytes: Span<UInt8>, stride: Int?, options: WebP.DecodeOptions) throws(WebP.DecodeError) {
    var options = options
    let isRotated = options.orientation(of: bytes) != .up
    isFlipped = options.flipsVertically && !isRotated
    if isFlipped { options.flipsVertically = false }
    let headers = try WebP.DecodeError.converting(try ImageHeaderParser(forDecoding: bytes))
    if headers.isAnimated || isRotated {
      let image: WebP.Image
      do { image = try WebP.decode(bytes, options: options) } catch { throw error.with(finishedRows: 0) }
      (pixels, source, decoder, finishedRows) = (image.pixels, image.layout, nil, image.height)
      guard let layout = WebP.Layout(format: image.format, width: image.width, height: image.height, stride: stride)
      else { throw WebP.DecodeError(.invalidStride) }
      self.layout = layout
      return
    }
    let decoder = try ImageDecoder(
      headers, bytes, options: options, stripRows: options.format.isPlanar ? nil : Self.stripRows)
    layout = try decoder.output.geometry.layout(options.format, stride: stride)
    (source, finishedRows) = (decoder.output.layout, 0)
    pixels = ContiguousArray(uninitializedCount: source.byteCount)
    self.decoder = decoder
  }

  /// - Parameter hasRoom: whether the collection has all bytes of the layout.
  @usableFromInline
  func check(hasRoom: Bool) throws(WebP.DecodeError) {
    guard hasRoom else { throw WebP.DecodeError(.bufferTooSmall, value: layout.byteCount) }
  }

  /// The next bytes to copy: their range in `pixels`, and their offset in the collection. Nil after the last row.
  ///
  /// - Throws: The error of the image, after its finished rows.
  @usableFromInline
  mutating func nextBytes(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> (range: Range<Int>, offset: Int)? {
    while next.plane < layout.planes.count {
      let (from, to) = (source.planes[next.plane], layout.planes[next.plane])
      let shift = WebP.Layout.subsamplingShift(ofPlane: next.plane)
      let end = (finishedRows + shift) >> shift
      if next.row < end {
        let first = next.row % from.rows
        let count = isFlipped || to.stride != from.stride ? 1 : min(end - next.row, from.rows - first)
        let start = from.offset + first * from.stride
        let row = isFlipped ? to.rows - 1 - next.row : next.row
        next.row += count
        return (start..<start + (count - 1) * from.stride + from.rowBytes, to.offset + row * to.stride)
      }
      if next.row == to.rows || failure != nil && source.planes.count > 1 {
        next = (next.plane + 1, 0)
      } else if let failure {
        throw failure
      } else {
        decodeRows(bytes)
      }
    }
    if let failure { throw failure }
    return nil
  }

  private mutating func decodeRows(_ bytes: Span<UInt8>) {
    guard let decoder else { return }
    let isStrip = source.planes[0].rows < layout.planes[0].rows
    do throws(WebP.DecodeError) {
      try decoder.decodeRows(
        bytes, isComplete: true, into: &pixels, before: isStrip ? finishedRows + Self.stripRows : .max)
    } catch {
      failure = error
    }
    finishedRows = decoder.output.finishedRows
  }
}
