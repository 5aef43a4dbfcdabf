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

/// Smooths a rectangle of alpha in steps: first the levels of all rows are counted, then rows are smoothed. The last
/// rows, whose squares would extend below the rectangle, do not change.
struct AlphaSmoothing {
  private let area: CropWindow
  /// The offset of the area in the memory that is passed to the methods.
  private let start: Int
  private let stride: Int
  private let radius: Int
  /// Indicates for each level whether it occurs.
  private var isUsed = ContiguousArray(filledWith: false, count: 256)
  /// Nil before the first row is smoothed, and if the levels are not the result of a reduction.
  private var levels: AlphaLevels?
  private var columns: ColumnSums
  /// The next row that `columns` adds, counted from the top of the area. Negative above the upper edge.
  private var nextRow: Int

  /// - Parameters:
  ///   - area: the size of the rectangle.
  ///   - start: the offset of the rectangle.
  ///   - stride: the bytes from row to row.
  ///   - strength: 1...100
  init(_ area: CropWindow, at start: Int, stride: Int, strength: Int) {
    (self.area, self.start, self.stride) = (area, start, stride)
    let side = min(2 * (4 * strength / 100) + 1, area.width, area.height)
    radius = (side - 1) / 2
    nextRow = -radius
    columns = ColumnSums(width: area.width, radius: radius)
  }

  /// Counts the levels of rows of the image.
  mutating func countLevels(of rows: Range<Int>, in alpha: Span<UInt8>) {
    for row in area.rows(of: rows) {
      let first = start + row * stride
      for x in first..<first + area.width { isUsed[Int(alpha[x])] = true }
    }
  }

  /// Smooths the rows of the image before `end`. The levels of all rows have been counted.
  mutating func smooth(before end: Int, in alpha: inout MutableSpan<UInt8>) {
    if nextRow == -radius { levels = AlphaLevels(isUsed) }
    guard radius > 0, let levels else { return }
    let end = min(end - area.y + radius, area.height)
    while nextRow < end {
      columns.add(alpha.span, at: start + max(nextRow, 0) * stride)
      nextRow += 1
      guard nextRow > radius else { continue }
      columns.accumulate()
      let row = start + (nextRow - 1 - radius) * stride
      for x in 0..<area.width {
        alpha[row + x] = levels.smoothed(alpha[row + x], average: columns.average(around: x))
      }
    }
  }
}

extension AlphaSmoothing {
  /// An object, because releasing an optional struct with arrays would instantiate type metadata, even if it is nil.
  final class Storage: CopiedOnWrite {
    var value: AlphaSmoothing

    init(_ value: AlphaSmoothing) { self.value = value }
    init(copying other: Storage) { value = other.value }
  }
}

/// The levels of alpha in a rectangle, and the smoothing of a level.
private struct AlphaLevels {
  private var least = UInt8.max
  private var greatest = UInt8.min
  /// The smallest difference of two neighboring levels.
  private var gap = 256

  /// Nil if there are at most two levels, which are not the result of a reduction.
  init?(_ isUsed: ContiguousArray<Bool>) {
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
