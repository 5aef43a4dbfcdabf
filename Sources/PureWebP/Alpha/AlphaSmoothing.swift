// Smoothing of alpha whose number of levels the encoder has reduced (RFC 9649, section 2.7.1.2, pre-processing). The
// RFC does not specify the method. This code gives the same results as libwebp.
//
// Each value moves toward the average of the square around it. The change is limited by the distance between levels: a
// value far from the average belongs to an edge, and does not change. The averages are computed from sums of columns,
// which are updated row by row:
//
//                       x − r     x     x + r
//     y − r     ┬ sums  ├─────────┼─────────┤        above the upper edge, the first row counts again;
//     y         │                 ○                  beyond the left and right edges, columns are mirrored
//     y + r     ┴       ├─────────┼─────────┤

internal import WebPFormat

/// Smooths a rectangle of alpha. The last rows, whose squares would extend below the rectangle, do not change.
///
/// - Parameters:
///   - start: the offset of the rectangle in `alpha`.
///   - area: the size of the rectangle.
///   - stride: the bytes from row to row.
///   - strength: 1...100
func smoothAlpha(
  _ alpha: inout MutableSpan<UInt8>, at start: Int, _ area: CropWindow, stride: Int, strength: Int
) {
  let (width, height) = (area.width, area.height)
  var radius = 4 * strength / 100
  if 2 * radius + 1 > width { radius = (width - 1) / 2 }
  if 2 * radius + 1 > height { radius = (height - 1) / 2 }
  guard radius > 0, let levels = AlphaLevels(alpha.span, at: start, area, stride: stride) else { return }

  var columns = ColumnSums(width: width, radius: radius)
  for y in -radius..<height {
    columns.add(alpha.span, at: start + max(y, 0) * stride)
    guard y >= radius else { continue }
    columns.accumulate()
    let row = start + (y - radius) * stride
    for x in 0..<width {
      alpha[row + x] = levels.smoothed(alpha[row + x], average: columns.average(around: x))
    }
  }
}

/// The levels of alpha in a rectangle, and the smoothing of a level.
private struct AlphaLevels {
  private var least = UInt8.max
  private var greatest = UInt8.min
  /// The smallest difference of two neighboring levels.
  private var gap = 256

  /// Nil if there are at most two levels, which are not the result of a reduction.
  init?(_ alpha: Span<UInt8>, at start: Int, _ area: CropWindow, stride: Int) {
    var isUsed = ContiguousArray(filledWith: false, count: 256)
    for y in 0..<area.height {
      for x in start + y * stride..<start + y * stride + area.width { isUsed[Int(alpha[x])] = true }
    }
    var last: UInt8?
    var count = 0
    for level in UInt8.min...UInt8.max where isUsed[Int(level)] {
      if let last { gap = min(gap, Int(level - last)) } else { least = level }
      greatest = level
      last = level
      count += 1
    }
    guard count > 2 else { return nil }
  }

  /// A level after smoothing. The least and the greatest levels, usually transparent and opaque, do not change.
  ///
  /// - Parameter average: the average of the square, times 4.
  func smoothed(_ level: UInt8, average: Int) -> UInt8 {
    guard level > least, level < greatest else { return level }
    let distance = average - 4 * Int(level)
    let change = distance < 0 ? -change(-distance) : change(distance)
    return UInt8(max(0, min(255, Int(level) + change)))
  }

  /// The change for a distance in quarters. It equals the distance up to three quarters of the gap. From there on it
  /// decreases, and reaches 0 at the gap.
  private func change(_ distance: Int) -> Int {
    let whole = 4 * gap
    let most = 3 * gap
    if distance <= most { return distance / 4 }
    return distance < whole ? most * (whole - distance) / (whole - most) / 4 : 0
  }
}

/// The sums of the last 2r + 1 rows in each column. The arithmetic is modulo 2¹⁶, which suffices because the sum of a
/// square is less.
private struct ColumnSums {
  private let width: Int
  private let radius: Int
  /// The factor from the sum of a square to its average in quarters, times 2¹⁶.
  private let scale: Int
  /// The rows that the sums include, before smoothing.
  private var rows: ContiguousArray<UInt8>
  /// The offset of the oldest of these rows.
  private var oldest = 0
  private var sums: ContiguousArray<UInt16>
  /// The sums of each column and all columns to its left.
  private var accumulated: ContiguousArray<UInt16>

  init(width: Int, radius: Int) {
    self.width = width
    self.radius = radius
    let side = 2 * radius + 1
    scale = (1 << 18) / (side * side)
    rows = ContiguousArray(filledWith: 0, count: side * width)
    sums = ContiguousArray(filledWith: 0, count: width)
    accumulated = sums
  }

  /// Replaces the oldest row by the next row.
  mutating func add(_ alpha: Span<UInt8>, at start: Int) {
    for x in 0..<width {
      sums[x] &+= UInt16(alpha[start + x]) &- UInt16(rows[oldest + x])
      rows[oldest + x] = alpha[start + x]
    }
    oldest += width
    if oldest == rows.count { oldest = 0 }
  }

  /// Updates `accumulated` to the current rows. `average` uses it.
  mutating func accumulate() {
    var sum: UInt16 = 0
    for x in 0..<width {
      sum &+= sums[x]
      accumulated[x] = sum
    }
  }

  /// The average of the square around a column, in quarters.
  func average(around x: Int) -> Int {
    let sum: UInt16
    if x <= radius {
      sum = accumulated[x + radius - 1] &+ accumulated[radius - x]
    } else if x < width - radius {
      sum = accumulated[x + radius] &- accumulated[x - radius - 1]
    } else {
      sum = 2 &* accumulated[width - 1] &- accumulated[2 * width - 2 - radius - x] &- accumulated[x - radius - 1]
    }
    return (Int(sum) * scale) >> 16
  }
}
