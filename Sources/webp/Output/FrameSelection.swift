import ArgumentParser
import CommandSystem

/// The operand of --frame where several frames are possible: numbers and ranges, counted from 0, such as `7`, `0,3-5`
/// or `12-`.
struct FrameSelection: ExpressibleByArgument {
  private let ranges: [ClosedRange<Int>]

  init?(argument: String) {
    var ranges: [ClosedRange<Int>] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = Int(bounds[0]), first >= 0, !bounds[0].hasPrefix("+") else { return nil }
      guard bounds.count == 2 else {
        ranges.append(first...first)
        continue
      }
      guard let last = bounds[1].isEmpty ? .max : Int(bounds[1]), last >= first else { return nil }
      ranges.append(first...last)
    }
    self.ranges = ranges
  }

  init(_ number: Int) { ranges = [number...number] }

  /// Indicates whether the selection is one frame.
  var isSingle: Bool { ranges.count == 1 && ranges[0].lowerBound == ranges[0].upperBound }

  /// Returns the numbers of the frames, in ascending order.
  ///
  /// - Parameters:
  ///   - count: the number of frames in the file.
  ///   - input: the file.
  /// - Throws: `Failure` if the file does not have all frames. An open range needs its first frame.
  func numbers(of count: Int, in input: String) throws(Failure) -> [Int] {
    var selected = [Bool](repeating: false, count: count)
    for range in ranges {
      let last = range.upperBound == .max ? max(range.lowerBound, count - 1) : range.upperBound
      guard last < count else { throw Failure(input, noFrame(max(range.lowerBound, count), of: count)) }
      for number in range.lowerBound...last { selected[number] = true }
    }
    return selected.indices.filter { selected[$0] }
  }
}
