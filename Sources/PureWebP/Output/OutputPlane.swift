/// Where the rows of a plane are in the caller's memory, from top to bottom or, flipped, from bottom to top. Where there is
/// memory for fewer rows than the picture has, they go round in it.
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

  /// Where a row starts.
  func start(of row: Int) -> Int { first + row % rows * stride }
}
