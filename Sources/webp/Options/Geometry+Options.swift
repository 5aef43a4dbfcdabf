import ArgumentParser
import PureWebP

// Rectangles and sizes as arguments of options.

extension WebP.Rectangle: ExpressibleByArgument {
  /// Parses `x,y,w,h`.
  public init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3]
    else { return nil }
    self.init(x: x, y: y, width: width, height: height)
  }
}

/// A box, `wxh` or `n`. One side may be omitted or 0. A single number is both sides.
struct Box: ExpressibleByArgument {
  private let width: Int?
  private let height: Int?

  init?(argument: String) {
    guard let sides = lengths(of: argument) else { return nil }
    (width, height) = (sides[0] == 0 ? nil : sides[0], sides.last == 0 ? nil : sides.last)
  }

  /// The size of an image that fits into the box. An omitted side is unbounded.
  func fitting(enlarges: Bool) -> WebP.OutputSize { .fit(width: width, height: height, enlarges: enlarges) }

  /// The size of an image that covers the box. An omitted side is unbounded.
  func filling(enlarges: Bool) -> WebP.OutputSize { .fill(width: width, height: height, enlarges: enlarges) }
}

/// A size: `wxh`, `w` or `n%`. One side may be omitted or 0, and then follows from the aspect ratio.
enum NewSize: ExpressibleByArgument {
  case sides(width: Int, height: Int)
  case percent(Double)

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent > 0, percent <= 100_000 else { return nil }
      self = .percent(percent)
    } else {
      guard let sides = lengths(of: argument) else { return nil }
      self = .sides(width: sides[0], height: sides.count == 2 ? sides[1] : 0)
    }
  }

  /// Returns the size for an image of this width and height.
  func size(forWidth width: Int, height: Int) -> WebP.OutputSize {
    switch self {
    case .sides(let width, let height): return .exact(width: width, height: height)
    case .percent(let percent):
      let scaled = [width, height].map { max(1, Int((Double($0) * percent / 100).rounded())) }
      return .exact(width: scaled[0], height: scaled[1])
    }
  }
}

/// Returns one or two numbers that are not negative and not all 0, or nil if the text is not `w`, `wxh`, `wx` or `xh`.
private func lengths(of text: String) -> [Int]? {
  let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { $0.isEmpty ? 0 : Int($0) ?? -1 }
  return sides.count <= 2 && sides.allSatisfy { $0 >= 0 } && sides.contains { $0 > 0 } ? sides : nil
}

extension WebP.OutputSize {
  /// Returns the size to which the stored image must be scaled, so that the oriented image has this size.
  func storedSize(for orientation: WebP.Orientation) -> Self {
    guard orientation.swapsWidthAndHeight else { return self }
    return switch self {
    case .exact(let width, let height): .exact(width: height, height: width)
    case .fit(let width, let height, let enlarges): .fit(width: height, height: width, enlarges: enlarges)
    case .fill(let width, let height, let enlarges): .fill(width: height, height: width, enlarges: enlarges)
    }
  }
}
