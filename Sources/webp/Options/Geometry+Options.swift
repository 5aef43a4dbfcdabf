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

/// The operand `wxh`, such as `320x240`. One side may be omitted or 0.
struct WidthAndHeight: ExpressibleByArgument {
  private let width: Int
  private let height: Int

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false).map { $0.isEmpty ? 0 : Int($0) ?? -1 }
    guard parts.count == 2, parts[0] >= 0, parts[1] >= 0, parts != [0, 0] else { return nil }
    (width, height) = (parts[0], parts[1])
  }

  var exact: WebP.OutputSize { .exact(width: width, height: height) }

  /// The size of an image that fits into a box of this width and height. An omitted side is unbounded.
  func fitting(enlarges: Bool) -> WebP.OutputSize {
    .fit(width: width == 0 ? nil : width, height: height == 0 ? nil : height, enlarges: enlarges)
  }

  /// The size of an image that covers a box of this width and height. An omitted side is unbounded.
  func filling(enlarges: Bool) -> WebP.OutputSize {
    .fill(width: width == 0 ? nil : width, height: height == 0 ? nil : height, enlarges: enlarges)
  }
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
