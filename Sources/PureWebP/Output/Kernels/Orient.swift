// Rotation and mirroring of planes.
//
// Two distances in the source describe an orientation: the distance between pixels that become neighbors in a row of
// the target, and the distance between pixels that become neighbors in a column. If rows become columns, the pixels of
// a target row are in different source rows. Therefore squares of 32 × 32 pixels are processed one after another, so
// that the cache lines of the source rows are used before they are evicted.
//
// Unsafe code: Preconditions check both planes. The steps stay between the corners of the planes.
// Plain formula: the definition of the tag in Tests/PureWebPTests/OrientationTests.swift.

internal import WebPFormat

/// Copies rows of a plane with another orientation. Traps unless both planes are in bounds.
///
/// - Parameters:
///   - rows: rows of the target.
///   - pixelBytes: 1 to 4.
func orientPlane(
  _ source: WebP.Layout.Plane, of pixels: Span<UInt8>, by orientation: WebP.Orientation,
  to target: WebP.Layout.Plane, of output: inout MutableSpan<UInt8>, rows: Range<Int>,
  pixelBytes: Int
) {
  let (width, height) = (source.rowBytes / pixelBytes, source.rows)
  let size = WebP.Size(width: width, height: height).oriented(orientation)
  precondition(target.rowBytes == size.width * pixelBytes && target.rows == size.height, "planes of different sizes")
  precondition(rows.lowerBound >= 0 && rows.upperBound <= target.rows)
  let from = unsafe pixels.row(at: source.offset, count: source.stride * (height - 1) + source.rowBytes)
  let to = unsafe output.mutableRow(at: target.offset, count: target.stride * (target.rows - 1) + target.rowBytes)
  let path = Path(orientation, stride: source.stride, width: width, height: height, pixelBytes: pixelBytes)
  switch pixelBytes {
  case 1: unsafe copyPixels(from, path, to, target, rows, width: size.width, as: UInt8.self)
  case 2: unsafe copyPixels(from, path, to, target, rows, width: size.width, as: UInt16.self)
  case 3: unsafe copyPixels(from, path, to, target, rows, width: size.width, as: ThreeBytes.self)
  case 4: unsafe copyPixels(from, path, to, target, rows, width: size.width, as: UInt32.self)
  default: preconditionFailure("no format has such pixels")
  }
}

/// The steps through the source in the order of the target's pixels, in bytes.
private struct Path {
  var start = 0
  /// The step to the next pixel to the right in the target.
  var right: Int
  /// The step to the next row of the target.
  var down: Int

  init(_ orientation: WebP.Orientation, stride: Int, width: Int, height: Int, pixelBytes: Int) {
    // The corner of the source that becomes the target's first pixel.
    let startsRight: Bool
    let startsBelow: Bool
    switch orientation {
    case .up, .leftMirrored: (startsRight, startsBelow) = (false, false)
    case .upMirrored, .left: (startsRight, startsBelow) = (true, false)
    case .down, .rightMirrored: (startsRight, startsBelow) = (true, true)
    case .downMirrored, .right: (startsRight, startsBelow) = (false, true)
    }
    let alongRow = startsRight ? -pixelBytes : pixelBytes
    let acrossRows = startsBelow ? -stride : stride
    (right, down) = orientation.swapsWidthAndHeight ? (acrossRows, alongRow) : (alongRow, acrossRows)
    if startsRight { start += (width - 1) * pixelBytes }
    if startsBelow { start += (height - 1) * stride }
  }
}

private struct ThreeBytes: BitwiseCopyable {
  var bytes: (UInt8, UInt8, UInt8)
}

@inline(never)
@_optimize(size)  // unrolled, the loops would take 6 KB instead of 1
private func copyPixels<Pixel: BitwiseCopyable>(
  _ source: UnsafeRawPointer, _ path: Path, _ target: UnsafeMutableRawPointer, _ plane: WebP.Layout.Plane,
  _ rows: Range<Int>, width: Int, as type: Pixel.Type
) {
  let side = 32
  var top = rows.lowerBound
  while top < rows.upperBound {
    var left = 0
    while left < width {
      for row in top..<min(top &+ side, rows.upperBound) {
        var from = path.start &+ row &* path.down &+ left &* path.right
        var to = row &* plane.stride &+ left &* MemoryLayout<Pixel>.size
        for _ in left..<min(left &+ side, width) {
          let pixel = unsafe source.loadUnaligned(fromByteOffset: from, as: Pixel.self)
          unsafe target.storeBytes(of: pixel, toByteOffset: to, as: Pixel.self)
          from &+= path.right
          to &+= MemoryLayout<Pixel>.size
        }
      }
      left &+= side
    }
    top &+= side
  }
}
