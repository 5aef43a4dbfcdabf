import Foundation
import PureWebP
package import Testing

/// Requires that two values are equal. Otherwise, it reports the first difference, and only one per test: an
/// expectation of Swift Testing prints both values, which are megabytes for pixels.
///
/// The message names the position as a path, for example `[3].image.pixels[1204] (x 5, y 1, channel 0)`.
///
/// - Parameters:
///   - context: what was compared, such as a file's name or a seed.
///   - width: the width of the image if the values are rows of RGBA bytes. Positions then have coordinates.
package func expectSame<Value: Equatable>(
  _ found: Value, _ expected: Value, _ context: @autoclosure () -> String = "", width: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  guard found != expected else { return }
  expectNone(
    firstDifference(found, expected, rgbaWidth: width) ?? "the values differ in what reflection hides", context(),
    sourceLocation: sourceLocation)
}

/// Reports a difference that a test found by itself, and only one per test.
package func expectNone(
  _ difference: String?, _ context: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard let difference, failures.isFirst(in: Test.current?.id) else { return }
  Issue.record(
    Comment(rawValue: context.isEmpty ? difference : "\(context): \(difference)"), sourceLocation: sourceLocation)
}

/// The first difference of two values of the same type, as a path and both values; nil if there is none.
package func firstDifference(
  _ found: Any, _ expected: Any, path: String = "", rgbaWidth: Int? = nil
) -> String? {
  if let left = found as? any Equatable, isEqual(left, expected) { return nil }
  if let left = found as? WebP.Image, let right = expected as? WebP.Image, left.layout == right.layout,
    let index = left.pixels.indices.first(where: { left.pixels[$0] != right.pixels[$0] })
  {
    let position = position(of: index, in: left)
    return "\(path).pixels[\(index)] (\(position)): \(left.pixels[index]), expected \(right.pixels[index])"
  }
  let (left, right) = (Mirror(reflecting: found), Mirror(reflecting: expected))
  guard !left.children.isEmpty || !right.children.isEmpty else {
    return "\(path.isEmpty ? "" : path + ": ")\(shortened(found)), expected \(shortened(expected))"
  }
  for (index, pair) in zip(left.children, right.children).enumerated() {
    var name = pair.0.label.map { ".\($0)" } ?? "[\(index)]"
    if left.displayStyle == .optional { name = "" }
    if let width = rgbaWidth, left.displayStyle == .collection {
      name += " (x \(index / 4 % width), y \(index / 4 / width), channel \(index % 4))"
    }
    if let difference = firstDifference(pair.0.value, pair.1.value, path: path + name, rgbaWidth: rgbaWidth) {
      return difference
    }
  }
  guard left.children.count != right.children.count else { return nil }
  return "\(path.isEmpty ? "" : path + ": ")\(left.children.count) elements, expected \(right.children.count)"
}

private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { left == right as? Value }

private func position(of index: Int, in image: WebP.Image) -> String {
  let planes = image.layout.planes
  let number = planes.lastIndex { $0.offset <= index } ?? 0
  let plane = planes[number]
  let (row, column) = (index - plane.offset).quotientAndRemainder(dividingBy: plane.stride)
  guard planes.count == 1 else { return "x \(column), y \(row), plane \(number)" }
  let pixelBytes = plane.rowBytes / image.width
  return "x \(column / pixelBytes), y \(row), channel \(column % pixelBytes)"
}

private func shortened(_ value: Any) -> String {
  let text = String(describing: value)
  return text.count > 80 ? "\(text.prefix(80))…" : text
}

private let failures = FirstFailures()

/// The tests that have reported a difference. The lock protects the set.
package final class FirstFailures: @unchecked Sendable {
  private let lock = NSLock()
  private var tests: Set<Test.ID> = []

  package init() {}

  /// Outside of a test, each difference is the first.
  package func isFirst(in test: Test.ID?) -> Bool {
    guard let test else { return true }
    return lock.withLock { tests.insert(test).inserted }
  }
}
