/// The positions of a plane's rows in the caller's memory: from top to bottom, or from bottom to top if the image is
/// flipped. If the memory has fewer rows than the image, it is used as a ring.
struct OutputPlane {
  /// The bytes of a row that belong to pixels.
  let rowBytes: Int
  private let rows: Int
  private let first: Int
  private let stride: Int

  init(_ plane: WebP.Layout.Plane, isFlipped: Bool) {
    rowBytes = plane.rowBytes
    rows = plane.rows
    first = isFlipped ? plane.offset + (plane.rows - 1) * plane.stride : plane.offset
    stride = isFlipped ? -plane.stride : plane.stride
  }

  /// The offset of a row.
  func start(of row: Int) -> Int { first + row % rows * stride }
}
