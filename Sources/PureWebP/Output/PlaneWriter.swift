internal import WebPFormat

/// Copies lossy rows to planar formats.
struct PlaneWriter {
  let planes: OutputPlanes

  /// - Parameter alpha: the alpha rows at the positions in `windowRows`. Empty for an opaque image.
  func write(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>
  ) {
    for row in windowRows.rows {
      copy(source.luma.span, at: windowRows.luma(row), to: planes.luma, row, in: &pixels)
      if let chroma = planes.chroma, row & 1 == 0 {
        copy(source.u.span, at: windowRows.chroma(row), to: chroma.u, row / 2, in: &pixels)
        copy(source.v.span, at: windowRows.chroma(row), to: chroma.v, row / 2, in: &pixels)
      }
      guard let plane = planes.alpha else { continue }
      if alpha.isEmpty {
        pixels.fill(plane.rowBytes, with: 255, at: plane.start(of: row))
      } else {
        copy(alpha, at: windowRows.alpha(row), to: plane, row, in: &pixels)
      }
    }
  }

  private func copy(
    _ source: Span<UInt8>, at start: Int, to plane: OutputPlane, _ row: Int, in pixels: inout MutableSpan<UInt8>
  ) {
    pixels.copy(plane.rowBytes, from: source, at: start, to: plane.start(of: row))
  }
}

/// The planes of a planar format in the caller's memory. Luma alone, luma and chroma, or all with alpha.
struct OutputPlanes {
  let luma: OutputPlane
  let chroma: (u: OutputPlane, v: OutputPlane)?
  let alpha: OutputPlane?

  /// - Parameter layout: the layout of a planar format.
  init(_ layout: WebP.Layout, isFlipped: Bool) {
    let planes = layout.planes.map { OutputPlane($0, isFlipped: isFlipped) }
    luma = planes[0]
    chroma = planes.count > 1 ? (planes[1], planes[2]) : nil
    alpha = planes.count > 3 ? planes[3] : nil
  }
}

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
